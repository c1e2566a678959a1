import { ActionIcon } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { TableView } from '../../../../../../tables/model'
import { Icon } from '../../../../components/icon'
import { type DraftGroup, fromFilterDraft, isFilterable, newRule, toFilterDraft } from '../../../../fields/filter/filter-draft'
import { FilterGroupBox } from '../../../../fields/filter/filter-group'
import { useStrings } from '../../../../language'
import type { FilterGroup } from '../../../../records/filters/filter-operators'
import { mapRules, noFilter } from '../../../../records/filters/filter-tree'
import { filterRuleProblem } from '../../../../records/filters/rule-problems'
import { type ListQuery, restKey, toUrlSearch } from '../../../../records/list/list-query'
import { withKeyLast } from '../../../../records/values/column'
import { PanelButtons } from './panel-buttons'
import { useApplied } from './use-applied'

type FilterBuilderProps = {
  table: TableView
  query: ListQuery
  setQuery: (query: ListQuery) => void
  refused: ReadonlyMap<string, string>
  /** The column whose menu opened the filter; a new object each time. */
  first: { name: string } | null
  close: () => void
}

/** The delay before typed values apply. */
const applyDelayMs = 350

/** Edits the filter. Complete conditions apply while the user is still entering the others. */
export function FilterBuilder({ table, query, setQuery, refused, first, close }: FilterBuilderProps) {
  const { filter } = useStrings()
  const columns = withKeyLast(table).filter(isFilterable)
  const firstColumn =
    columns.find(({ name }) => name === first?.name) ?? columns.find(({ name }) => !table.primaryKey.includes(name)) ?? columns[0]
  const [draft, setDraft] = useState(() => {
    const stored = toFilterDraft(query.filter)
    const isNew = firstColumn && (first !== null || (stored.items.length === 0 && query.rest.length === 0))
    return isNew ? { ...stored, items: [...stored.items, newRule(firstColumn)] } : stored
  })
  const form = useRef<HTMLFormElement>(null)
  const [added, setAdded] = useState(first)
  if (first && firstColumn && first !== added) {
    setAdded(first)
    setDraft({ ...draft, items: [...draft.items, newRule(firstColumn)] })
  }
  useEffect(() => {
    // The code of this form may load after the focus has already moved.
    const lines = form.current?.querySelectorAll('.filter-rule') ?? []
    const inputs = (added ? lines[lines.length - 1] : lines[0])?.querySelectorAll<HTMLElement>('input:not([type=hidden])')
    inputs?.[added ? inputs.length - 1 : 0]?.focus()
  }, [added])
  const latest = useRef({ table, query, setQuery })
  latest.current = { table, query, setQuery }
  const remember = useApplied(urlOf(query.filter), () => setDraft(toFilterDraft(query.filter)))
  const apply = useRef(() => {})
  useEffect(() => {
    apply.current = () => {
      const url = applyDraft(draft, latest.current)
      if (url !== null) remember(url)
    }
    const timer = setTimeout(() => apply.current(), applyDelayMs)
    return () => clearTimeout(timer)
  }, [draft, remember])
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
      <PanelButtons removeAll={removeAll} done={leave} />
    </form>
  )
}

/** The filter as in the URL, to compare a draft with the query of the page. */
const urlOf = (filter: FilterGroup): string => JSON.stringify(toUrlSearch({ q: '', sort: [], filter, rest: [] }))

/** Applies the conditions that can be sent. @returns the new filter in the URL; null if it is the query's */
function applyDraft(
  draft: DraftGroup,
  { table, query, setQuery }: Pick<FilterBuilderProps, 'table' | 'query' | 'setQuery'>,
): string | null {
  const next = mapRules(fromFilterDraft(draft), (rule) => (filterRuleProblem(rule, table.columns) ? null : rule))
  const url = urlOf(next)
  if (url === urlOf(query.filter)) return null
  setQuery({ ...query, filter: next })
  return url
}
