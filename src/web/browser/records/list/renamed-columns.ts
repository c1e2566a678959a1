import type { QueryCacheNotifyEvent } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { cachedTables, queryClient } from '../../api/queries'
import { filterRules, mapRules } from '../filters/filter-tree'
import { tableByName } from '../values/column'
import { type ListQuery, parseListQuery, toUrlSearch, type UrlSearch, withColumnNames } from './list-query'

type CachedView = { search?: UrlSearch }
type Columns = TableView['columns']
/** The columns of a table, and the tables to which its links lead. */
type QueryNames = { columns: Columns; tables: readonly TableView[] }

/** The names that the search of a cached view uses, by the key of its query. */
const namesOfViews = new Map<string, QueryNames>()

/** The current name of a column; undefined for a deleted one. */
function nameNow(name: string, before: Columns = [], columns: Columns = []): string | undefined {
  const id = before.find((column) => column.name === name)?.id
  return id ? columns.find((column) => column.id === id)?.name : name
}

const columnsUsed = ({ filter, sort }: ListQuery) => JSON.stringify([filterRules(filter), sort])

/** The query with the current names of its columns, without deleted ones; null if that changes nothing. */
export function withRenamedColumns(query: ListQuery, before: QueryNames, now: QueryNames): ListQuery | null {
  const filter = mapRules(query.filter, (rule) => {
    if (rule.linked === undefined) return rule
    const target = String(before.columns.find(({ name }) => name === rule.column)?.options.table)
    const linked = nameNow(rule.linked, tableByName(before.tables, target)?.columns, tableByName(now.tables, target)?.columns)
    // A deleted column stays: the service refuses it, which shows that the condition is not applied.
    return { ...rule, linked: linked ?? rule.linked }
  })
  const renamed = withColumnNames({ ...query, filter }, (name) => nameNow(name, before.columns, now.columns))
  return columnsUsed(renamed) === columnsUsed(query) ? null : renamed
}

/** Renames the columns in the searches of cached views when definitions of tables arrive with other names. */
export function followRenames({ type, query: { queryKey, state } }: QueryCacheNotifyEvent) {
  const [kind, tableId] = queryKey as string[]
  if (type !== 'updated' || !state.data) return
  // The list of all tables also has the names of the columns that links lead to.
  if (kind === 'tables') renameInViews(tableId ? ['view', tableId] : ['view'])
  const names = kind === 'view' && namesNow(tableId!)
  if (names) namesOfViews.set(String(queryKey), names)
}

function namesNow(tableId: string): QueryNames | undefined {
  const table = queryClient.getQueryData<TableView>(['tables', tableId])
  return table && { columns: table.columns, tables: cachedTables() }
}

function renameInViews(views: string[]) {
  for (const [queryKey, view] of queryClient.getQueriesData<CachedView>({ queryKey: views })) {
    const [before, now] = [namesOfViews.get(String(queryKey)), namesNow(String(queryKey[1]))]
    const query = before && now && view?.search && withRenamedColumns(parseListQuery(view.search), before, now)
    if (query) queryClient.setQueryData<CachedView>(queryKey, { ...view, search: toUrlSearch(query) })
  }
}
