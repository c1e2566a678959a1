import { queryOptions } from '@tanstack/react-query'
import { namedViewKey, viewQuery } from '../../../../records/list/table-queries'

/** The copy of a named view that the user edits. Its code is loaded on demand. */
export const namedViewQuery = (tableId: string, id: string) =>
  queryOptions({
    ...viewQuery(tableId),
    queryKey: namedViewKey(tableId, id),
    // The changes of the user cannot be fetched again.
    gcTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await import('../../../lazy-pages')).fetchEditedView(tableId, id),
  })
