import { queryOptions } from '@tanstack/react-query'
import { send } from '../../api/client'
import { queryClient } from '../../api/queries'
import { recordsUrl } from '../../api/urls'
import { type RecordValues, readJson } from '../values/cell-values'

export type ListPage = { records: RecordValues[]; nextCursor: string | null; totalCount?: number }

export const pageSize = 100

/** The maximum age of a prefetched first page. */
const maxAgeMs = 5000

/** The latest position in the log of changes that this window has received. */
let latestPosition: string | null = null
/** The log position up to which the list of a table includes changes, by table id. */
const listPositions = new Map<string, string | null>()

/** The log position after which a list is followed; null if the list was requested before a position was known. */
export const listPosition = (tableId: string): string | null => listPositions.get(tableId) ?? null

/** @param position the latest one for a list that is requested now */
export function setListPosition(tableId: string, position = latestPosition) {
  latestPosition = position
  listPositions.set(tableId, position)
}

/** @param parameters the query string and paging parameters */
export const fetchPage = async (tableId: string, parameters: string[], signal?: AbortSignal): Promise<ListPage> =>
  readJson<ListPage>(await send(recordsUrl(tableId, parameters.filter(Boolean).join('&')), { signal }))

/** The first page and the estimated count. */
function fetchFirstPage(tableId: string, query: string): Promise<ListPage> {
  setListPosition(tableId)
  return fetchPage(tableId, [query, `limit=${pageSize}`, 'count=estimated'])
}

/** The first page as a query, for prefetching. */
export const firstPageQuery = (tableId: string, query: string) =>
  queryOptions({
    queryKey: ['first-page', tableId, query],
    staleTime: maxAgeMs,
    gcTime: maxAgeMs,
    retry: false,
    structuralSharing: false,
    queryFn: () => fetchFirstPage(tableId, query),
  })

/** The prefetched first page, for the first render of a grid. */
export function cachedFirstPage(tableId: string, query: string): ListPage | undefined {
  const { data, dataUpdatedAt = 0, isInvalidated } = queryClient.getQueryState(firstPageQuery(tableId, query).queryKey) ?? {}
  return !isInvalidated && Date.now() - dataUpdatedAt < maxAgeMs ? data : undefined
}

/** A prefetched page is used once: a later visit fetches current data. */
export const removeFirstPage = (tableId: string, query: string) =>
  queryClient.removeQueries({ queryKey: firstPageQuery(tableId, query).queryKey })

/** Fetches the first page, or joins the pending request, and removes it from the cache. */
export async function takeFirstPage(tableId: string, query: string): Promise<ListPage> {
  const firstPage = await queryClient.fetchQuery(firstPageQuery(tableId, query))
  removeFirstPage(tableId, query)
  return firstPage
}
