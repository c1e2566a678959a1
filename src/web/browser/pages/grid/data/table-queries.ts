import { queryOptions } from '@tanstack/react-query'
import { api, send, take } from '../../../api/client'
import { queryClient } from '../../../api/queries'
import type { View } from '../view/column-layout'
import { answerOf } from './cell-values'
import { beginningQuery } from './first-page'
import { parametersFor, readQuery, type Search } from './list-query'

export const tableQuery = (tableId: string) =>
  queryOptions({ queryKey: ['tables', tableId], queryFn: () => take(api.tables({ tableId: encodeURIComponent(tableId) }).get()) })

export const viewAddress = (tableId: string) => `/api/v1/tables/${encodeURIComponent(tableId)}/view`

export const viewQuery = (tableId: string) =>
  queryOptions({
    queryKey: ['view', tableId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => answerOf<View>(await send(viewAddress(tableId))),
  })

/** What a table is made of, and how it was looked at last. @throws what the grid will find out and tell by itself */
export const prefetchDefinition = (tableId: string) =>
  Promise.all([queryClient.fetchQuery(tableQuery(tableId)), queryClient.fetchQuery(viewQuery(tableId))])

/** What a grid begins with, asked for all at once and before it is drawn. @throws as above */
export async function prefetchTable(tableId: string, search: Search) {
  const isBare = Object.keys(search).length === 0
  const known = queryClient.getQueryData(viewQuery(tableId).queryKey)
  // Nearly always right: most tables were not searched when they were last looked at.
  if (isBare && !known?.search) void queryClient.prefetchQuery(beginningQuery(tableId, ''))
  const [table, view] = await prefetchDefinition(tableId)
  const query = readQuery((isBare && view.search) || search)
  await queryClient.prefetchQuery(beginningQuery(table.id, parametersFor(query, table)))
}
