import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { Icon } from '../../../components/icon'
import { type DraftGroup, fromFilterDraft, toFilterDraft } from '../../../fields/filter/filter-draft'
import { FilterGroupBox } from '../../../fields/filter/filter-group'
import { FilterUseProvider, operatorsOf } from '../../../fields/filter/filter-use'
import { useStrings } from '../../../language'
import { type LinkedCondition, parseCondition, writeCondition } from '../../../records/filters/linked-conditions'
import { withKeyLast } from '../../../records/values/column'

type LinkedFilterFieldsProps = {
  /** The table of the linked records. */
  table: TableView
  /** The conditions as JSON, as the API takes them. */
  value: string
  change: (value: string) => void
}

/** Limits the counted linked records to those that meet all conditions. */
export function LinkedFilterFields({ value, change, ...props }: LinkedFilterFieldsProps) {
  const { columns: words, filter } = useStrings()
  // Keep the initial table: conditions contain column names, and someone may rename a column in the meantime.
  const [table] = useState(props.table)
  const columns = withKeyLast(table).filter((column) => operatorsOf('linked', column).length > 0 && !column.options.isMany)
  const [{ group, rest }, setDraft] = useState(() => toDraft(JSON.parse(value) as LinkedCondition[], table))
  const update = (draft: Draft) => {
    setDraft(draft)
    const written = fromFilterDraft(draft.group).items.flatMap((item) => (item.kind === 'rule' ? writeCondition(item, table) : []))
    change(JSON.stringify([...written, ...draft.rest]))
  }
  return (
    <fieldset className="choices filter">
      <legend className="field-label">{words.linkedFilter}</legend>
      <FilterUseProvider value="linked">
        <FilterGroupBox
          group={group}
          columns={columns}
          firstColumn={columns[0]}
          refused={noRefusals}
          table={table}
          depth={0}
          setRoot={(edit) => update({ group: edit(group), rest })}
        />
      </FilterUseProvider>
      {rest.map((condition) => (
        <div key={JSON.stringify(condition)} className="filter-rest">
          <code className="mono">{JSON.stringify(condition)}</code>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={filter.removeCondition}
            onClick={() => update({ group, rest: rest.filter((each) => each !== condition) })}
          >
            <Icon name="trash" size={15} />
          </ActionIcon>
        </div>
      ))}
    </fieldset>
  )
}

/** `rest` are conditions that the builder cannot show. */
type Draft = { group: DraftGroup; rest: LinkedCondition[] }

function toDraft(conditions: readonly LinkedCondition[], table: TableView): Draft {
  const parsed = conditions.map((condition) => [condition, parseCondition(condition, table)] as const)
  return {
    group: toFilterDraft({ kind: 'group', join: 'and', items: parsed.flatMap(([, rule]) => rule ?? []) }),
    rest: parsed.flatMap(([condition, rule]) => (rule ? [] : [condition])),
  }
}

/** Empty, because the dialog shows the service's errors. */
const noRefusals: ReadonlyMap<string, string> = new Map()
