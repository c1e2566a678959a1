import { ActionIcon, Button, Select } from '@mantine/core'
import type { TableView } from '../../../../tables/model'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import type { GridColumn } from '../../records/values/cell-values'
import { type DraftGroup, type DraftItem, newGroup, newRule, replaceItem } from './filter-draft'
import { FilterRuleLine } from './filter-rule-line'
import { useFilterUse } from './filter-use'

type GroupProps = {
  group: DraftGroup
  columns: GridColumn[]
  /** The column of a new condition. */
  firstColumn: GridColumn | undefined
  table: TableView
  refused: ReadonlyMap<string, string>
  depth: number
  setRoot: (change: (root: DraftGroup) => DraftGroup) => void
}

const maxDepth = 2

/** The conditions of a group, and the groups inside it. */
export function FilterGroupBox(props: GroupProps) {
  const { group, firstColumn, depth, setRoot } = props
  const { filter } = useStrings()
  const use = useFilterUse()
  const update = (change: (group: DraftGroup) => DraftGroup) =>
    setRoot((root) => (root.id === group.id ? change(root) : replaceItem(root, group.id, (item) => [change(item as DraftGroup)])))
  const add = (item: DraftItem) => update((before) => ({ ...before, items: [...before.items, item] }))
  return (
    <>
      {group.items.map((item, index) => (
        <div key={item.id} className={item.kind === 'rule' ? 'filter-line' : 'filter-line is-group'}>
          <Join group={group} index={index} choose={(join) => update((before) => ({ ...before, join }))} />
          {item.kind === 'rule' ? (
            <FilterRuleLine {...props} rule={item} change={(rule) => setRoot((root) => replaceItem(root, item.id, () => [rule]))} />
          ) : (
            <fieldset className="filter-group" aria-label={filter.group}>
              <FilterGroupBox {...props} group={item} depth={depth + 1} />
            </fieldset>
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            className="filter-remove"
            aria-label={item.kind === 'rule' ? filter.removeCondition : filter.removeGroup}
            title={item.kind === 'rule' ? filter.removeCondition : filter.removeGroup}
            onClick={() => setRoot((root) => replaceItem(root, item.id, () => []))}
          >
            <Icon name="trash" size={15} />
          </ActionIcon>
        </div>
      ))}
      {firstColumn ? (
        <div className="filter-add">
          <Button
            variant="subtle"
            size="compact-xs"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => add(newRule(firstColumn, use))}
          >
            {filter.addCondition}
          </Button>
          {use !== 'linked' && depth < maxDepth ? (
            <Button
              variant="subtle"
              size="compact-xs"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => add(newGroup(newRule(firstColumn), group.join === 'and' ? 'or' : 'and'))}
            >
              {filter.addGroup}
            </Button>
          ) : null}
        </div>
      ) : null}
    </>
  )
}

type JoinProps = { group: DraftGroup; index: number; choose: (join: 'and' | 'or') => void }

/** The word before a condition: “Where” before the first, a select before the second, its value before the others. */
function Join({ group, index, choose }: JoinProps) {
  const { filter } = useStrings()
  const use = useFilterUse()
  if (index !== 1 || use === 'linked') return <span className="filter-join">{index === 0 ? filter.where : filter.joins[group.join]}</span>
  return (
    <Select
      size="xs"
      className="filter-join"
      aria-label={filter.join}
      value={group.join}
      allowDeselect={false}
      data={(['and', 'or'] as const).map((value) => ({ value, label: filter.joins[value] }))}
      onChange={(value) => choose(value as 'and' | 'or')}
    />
  )
}
