import { ActionIcon, Button, Group } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { TableView } from '../../../../../../tables/model'
import { Icon } from '../../../../components/icon'
import { type DraftGroup, fromFilterDraft, isFilterable, newRule, toFilterDraft } from '../../../../fields/filter/filter-draft'
import { FilterGroupBox } from '../../../../fields/filter/filter-group'
import { useStrings } from '../../../../language'
import { mapRules, noFilter } from '../../../../records/filters/filter-tree'
import { filterRuleProblem } from '../../../../records/filters/rule-problems'
import { type ListQuery, restKey } from '../../../../records/list/list-query'
import { withKeyLast } from '../../../../records/values/column'

type FilterBuilderProps = {
  table: TableView
  query: ListQuery
  setQuery: (query: ListQuery) => void
  refused: ReadonlyMap<string, string>
  first?: string
  close: () => void
}

/** The delay before typed values apply. */
const applyDelayMs = 350

/** Edits the filter. Complete conditions apply while the user still writes the others. */
export function FilterBuilder({ table, query, setQuery, refused, first, close }: FilterBuilderProps) {
  const { filter } = useStrings()
  const columns = withKeyLast(table).filter(isFilterable)
  const firstColumn =
    columns.find(({ name }) => name === first) ?? columns.find(({ name }) => !table.primaryKey.includes(name)) ?? columns[0]
  const [draft, setDraft] = useState(() => {
    const stored = toFilterDraft(query.filter)
    const isNew = firstColumn && (first !== undefined || (stored.items.length === 0 && query.rest.length === 0))
    return isNew ? { ...stored, items: [...stored.items, newRule(firstColumn)] } : stored
  })
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // The code of this form may load only after the focus has moved.
    const lines = form.current?.querySelectorAll('.filter-rule') ?? []
    const inputs = (first === undefined ? lines[0] : lines[lines.length - 1])?.querySelectorAll<HTMLElement>('input:not([type=hidden])')
    inputs?.[first === undefined ? 0 : inputs.length - 1]?.focus()
  }, [first])
  const latest = useRef({ table, query, setQuery })
  latest.current = { table, query, setQuery }
  const apply = useRef(() => {})
  useEffect(() => {
    apply.current = () => applyDraft(draft, latest.current)
    const timer = setTimeout(() => apply.current(), applyDelayMs)
    return () => clearTimeout(timer)
  }, [draft])
  const leave = () => {
    apply.current()
    close()
  }
  const removeAll = () => {
    setDraft(toFilterDraft(noFilter))
    setQuery({ ...query, filter: noFilter, rest: [] })
    close()
  }
  const removeRest = (at: number) => setQuery({ ...query, rest: query.rest.filter((_, index) => index !== at) })
  return (
    <form
      ref={form}
      className="filter"
      onSubmit={(event) => {
        event.preventDefault()
        apply.current()
      }}
    >
      <div className="filter-items">
        {draft.items.length + query.rest.length === 0 ? <p className="soft">{filter.noConditions}</p> : null}
        <FilterGroupBox
          group={draft}
          columns={columns}
          firstColumn={firstColumn}
          refused={refused}
          table={table}
          depth={0}
          setRoot={setDraft}
        />
        {query.rest.map((parameter, index) => (
          <div key={restKey(parameter)} className="filter-rest">
            <code className="mono">{restKey(parameter)}</code>
            <ActionIcon variant="subtle" color="gray" aria-label={filter.removeCondition} onClick={() => removeRest(index)}>
              <Icon name="trash" size={15} />
            </ActionIcon>
            {refused.has(restKey(parameter)) ? (
              <p role="alert" className="filter-problem">
                {refused.get(restKey(parameter))}
              </p>
            ) : null}
          </div>
        ))}
      </div>
      <Group gap="xs" justify="flex-end">
        <Button variant="default" size="xs" onClick={removeAll}>
          {filter.removeAll}
        </Button>
        <Button size="xs" onClick={leave}>
          {filter.done}
        </Button>
      </Group>
    </form>
  )
}

/** Applies the conditions that can be sent. */
function applyDraft(draft: DraftGroup, { table, query, setQuery }: Pick<FilterBuilderProps, 'table' | 'query' | 'setQuery'>) {
  const next = mapRules(fromFilterDraft(draft), (rule) => (filterRuleProblem(rule, table.columns) ? null : rule))
  if (JSON.stringify(next) !== JSON.stringify(query.filter)) setQuery({ ...query, filter: next })
}
