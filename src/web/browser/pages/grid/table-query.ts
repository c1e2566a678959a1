import { queryOptions } from '@tanstack/react-query'
import { api, send, take } from '../../api'
import { queryClient } from '../../queries'
import type { View } from './layout'
import { answerOf } from './values'

export const tableQuery = (tableId: string) =>
  queryOptions({ queryKey: ['tables', tableId], queryFn: () => take(api.tables({ tableId: encodeURIComponent(tableId) }).get()) })

export const viewAddress = (tableId: string) => `/api/v1/tables/${encodeURIComponent(tableId)}/view`

export const viewQuery = (tableId: string) =>
  queryOptions({
    queryKey: ['view', tableId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => answerOf<View>(await send(viewAddress(tableId))),
  })

/** What a grid begins with is asked for while its code is fetched. */
export function prefetchTable(tableId: string) {
  void queryClient.prefetchQuery(tableQuery(tableId))
  void queryClient.prefetchQuery(viewQuery(tableId))
}
