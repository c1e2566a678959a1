import { queryOptions } from '@tanstack/react-query'
import { api, send, unwrap } from '../../../api/client'
import { queryClient } from '../../../api/queries'
import { readJson } from './cell-values'
import { firstPageQuery } from './first-page'
import { parseListQuery, queryStringFor, type UrlSearch } from './list-query'

/**
 * A user's view of a table, saved on the server. Columns are referenced by id, which does not change when a column is
 * renamed.
 */
export type SavedView = {
  widths?: Record<string, number>
  order?: string[]
  hidden?: string[]
  pinned?: string[]
  /** The last search of the page. */
  search?: Record<string, string | string[]>
}

export const tableQuery = (tableId: string) =>
  queryOptions({ queryKey: ['tables', tableId], queryFn: () => unwrap(api.tables({ tableId: encodeURIComponent(tableId) }).get()) })

export const viewUrl = (tableId: string) => `/api/v1/tables/${encodeURIComponent(tableId)}/view`

export const viewQuery = (tableId: string) =>
  queryOptions({
    queryKey: ['view', tableId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => readJson<SavedView>(await send(viewUrl(tableId))),
  })

/** The table and the user's view. @throws errors that the grid reports itself */
export const prefetchDefinition = (tableId: string) =>
  Promise.all([queryClient.fetchQuery(tableQuery(tableId)), queryClient.fetchQuery(viewQuery(tableId))])

/** Prefetches everything that a grid displays first, in parallel. @throws see `prefetchDefinition` */
export async function prefetchTable(tableId: string, search: UrlSearch) {
  const hasNoSearch = Object.keys(search).length === 0
  const cachedView = queryClient.getQueryData(viewQuery(tableId).queryKey)
  // Usually right: most saved views have no search.
  if (hasNoSearch && !cachedView?.search) void queryClient.prefetchQuery(firstPageQuery(tableId, ''))
  const [table, view] = await prefetchDefinition(tableId)
  const query = parseListQuery((hasNoSearch && view.search) || search)
  await queryClient.prefetchQuery(firstPageQuery(table.id, queryStringFor(query, table)))
}
