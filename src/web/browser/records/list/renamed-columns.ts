import type { QueryCacheNotifyEvent } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { queryClient } from '../../api/queries'
import { filterRules } from '../filters/filter-tree'
import { parseListQuery, toUrlSearch, type UrlSearch, withColumnNames } from './list-query'

type CachedView = { search?: UrlSearch }

/** The columns by the names that the search of a cached view uses, by the key of its query. */
const columnIds = new Map<string, ReadonlyMap<string, string>>()

/** Renames the columns in the searches of cached views when the definition of their table arrives with other names. */
export function followRenames({ type, query: { queryKey, state } }: QueryCacheNotifyEvent) {
  const [kind, tableId] = queryKey as string[]
  if (type !== 'updated' || !tableId || !state.data) return
  if (kind === 'tables') renameColumns(tableId, state.data as TableView)
  const table = kind === 'view' && queryClient.getQueryData<TableView>(['tables', tableId])
  if (table) columnIds.set(String(queryKey), new Map(table.columns.map(({ id, name }) => [name, id])))
}

function renameColumns(tableId: string, { columns }: TableView) {
  for (const [queryKey, view] of queryClient.getQueriesData<CachedView>({ queryKey: ['view', tableId] })) {
    const ids = columnIds.get(String(queryKey))
    if (!ids || !view?.search) continue
    const nameNow = (name: string) => {
      const id = ids.get(name)
      return id === undefined ? name : columns.find((column) => column.id === id)?.name
    }
    const query = parseListQuery(view.search)
    const isRenamed = [...filterRules(query.filter), ...query.sort].some(({ column }) => nameNow(column) !== column)
    if (isRenamed) queryClient.setQueryData<CachedView>(queryKey, { ...view, search: toUrlSearch(withColumnNames(query, nameNow)) })
  }
}
