import type { QueryCacheNotifyEvent } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { queryClient } from '../../api/queries'
import { filterRules } from '../filters/filter-tree'
import { type ListQuery, parseListQuery, toUrlSearch, type UrlSearch, withColumnNames } from './list-query'

type CachedView = { search?: UrlSearch }
type Columns = TableView['columns']

/** The columns by the names that the search of a cached view uses, by the key of its query. */
const columnsOfViews = new Map<string, Columns>()

/** The query with the present names of its columns, without deleted ones; null if it uses no such column. */
export function withRenamedColumns(query: ListQuery, before: Columns, columns: Columns): ListQuery | null {
  const names = new Map(before.map(({ id, name }) => [name, columns.find((column) => column.id === id)?.name]))
  const nameNow = (name: string) => (names.has(name) ? names.get(name) : name)
  const isRenamed = [...filterRules(query.filter), ...query.sort].some(({ column }) => nameNow(column) !== column)
  return isRenamed ? withColumnNames(query, nameNow) : null
}

/** Renames the columns in the searches of cached views when the definition of their table arrives with other names. */
export function followRenames({ type, query: { queryKey, state } }: QueryCacheNotifyEvent) {
  const [kind, tableId] = queryKey as string[]
  if (type !== 'updated' || !tableId || !state.data) return
  if (kind === 'tables') renameInViews(tableId, state.data as TableView)
  const table = kind === 'view' && queryClient.getQueryData<TableView>(['tables', tableId])
  if (table) columnsOfViews.set(String(queryKey), table.columns)
}

function renameInViews(tableId: string, { columns }: TableView) {
  for (const [queryKey, view] of queryClient.getQueriesData<CachedView>({ queryKey: ['view', tableId] })) {
    const before = columnsOfViews.get(String(queryKey))
    const query = before && view?.search && withRenamedColumns(parseListQuery(view.search), before, columns)
    if (query) queryClient.setQueryData<CachedView>(queryKey, { ...view, search: toUrlSearch(query) })
  }
}
