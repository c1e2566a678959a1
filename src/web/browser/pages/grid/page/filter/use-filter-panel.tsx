import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { TableView } from '../../../../../../tables/model'
import { Icon } from '../../../../components/icon'
import { lazyComponent } from '../../../../components/lazy-component'
import { useStrings } from '../../../../language'
import { filterRules } from '../../../../records/filters/filter-tree'
import { filterRuleProblem } from '../../../../records/filters/rule-problems'
import { type ListQuery, restKey, ruleKey } from '../../../../records/list/list-query'
import { useToolPanel } from './use-tool-panel'

const LazyFilterBuilder = lazyComponent(async () => (await import('../../../lazy-pages')).FilterBuilder)

export type FilterPanelProps = {
  table: TableView
  query: ListQuery
  setQuery: (query: ListQuery) => void
  /** The service's messages about conditions that it refuses, by `ruleKey` and `restKey`. */
  refused: ReadonlyMap<string, string>
  /** The column whose menu opened the filter. */
  filterColumn: { name: string } | null
}

/**
 * A button with the number of conditions, and how many of them cannot be applied. Its panel is above the records, which
 * stay visible while they are filtered.
 */
export function useFilterPanel({ table, query, setQuery, refused, filterColumn }: FilterPanelProps) {
  const { filter } = useStrings()
  const { panel, setOpen, ...opener } = useToolPanel(filter.title, (close) => (
    <LazyFilterBuilder table={table} query={query} setQuery={setQuery} refused={refused} first={filterColumn} close={close} />
  ))
  useEffect(() => {
    if (filterColumn) setOpen(true)
  }, [filterColumn, setOpen])
  const rules = filterRules(query.filter)
  const leftOut =
    rules.filter((rule) => filterRuleProblem(rule, table.columns) || refused.has(ruleKey(rule))).length +
    query.rest.filter((parameter) => refused.has(restKey(parameter))).length
  const count = rules.length + query.rest.length
  const button = (
    <Button
      {...opener.button}
      variant={leftOut ? 'default' : count ? 'light' : 'subtle'}
      color={count || leftOut ? undefined : 'gray'}
      c={leftOut ? 'var(--app-danger)' : undefined}
      size="xs"
      leftSection={<Icon name={leftOut ? 'warning' : 'filter'} size={15} />}
      aria-label={leftOut ? `${filter.button(count)}, ${filter.leftOut(leftOut)}` : undefined}
      title={leftOut ? filter.leftOut(leftOut) : undefined}
    >
      {filter.button(count)}
    </Button>
  )
  return { button, panel }
}
