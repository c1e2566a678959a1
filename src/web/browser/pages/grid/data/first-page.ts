import { queryOptions } from '@tanstack/react-query'
import { send } from '../../../api/client'
import { queryClient } from '../../../api/queries'
import { recordsAddress } from '../../../api/urls'
import { answerOf, type Values } from './cell-values'

/** Part of a list as the service answers it. */
export type Part = { records: Values[]; nextCursor: string | null; totalCount?: number }

export const pageSize = 100

/** So long it may have been read before it is shown: it is asked for while a page is on its way. */
const freshMs = 5000

/** @param parameters the query and what is asked of it, in the grammar of records */
export const readPart = async (tableId: string, parameters: string[], signal?: AbortSignal): Promise<Part> =>
  answerOf<Part>(await send(recordsAddress(tableId, parameters.filter(Boolean).join('&')), { signal }))

/** The first records of a list, and about how many there are. */
export const readBeginning = (tableId: string, query: string): Promise<Part> =>
  readPart(tableId, [query, `limit=${pageSize}`, 'count=estimated'])

/** The same, asked for ahead. */
export const beginningQuery = (tableId: string, query: string) =>
  queryOptions({
    queryKey: ['beginning', tableId, query],
    staleTime: freshMs,
    gcTime: freshMs,
    retry: false,
    structuralSharing: false,
    queryFn: () => readBeginning(tableId, query),
  })

/** The beginning if it has just been read, for the first drawing of a grid. */
export function knownBeginning(tableId: string, query: string): Part | undefined {
  const { data, dataUpdatedAt = 0, isInvalidated } = queryClient.getQueryState(beginningQuery(tableId, query).queryKey) ?? {}
  return !isInvalidated && Date.now() - dataUpdatedAt < freshMs ? data : undefined
}

/** It is shown once: whoever comes back later sees what there is then. */
export const forgetBeginning = (tableId: string, query: string) =>
  queryClient.removeQueries({ queryKey: beginningQuery(tableId, query).queryKey })

/** Reads it, or waits for the answer that is under way, and forgets it. */
export const takeBeginning = (tableId: string, query: string): Promise<Part> =>
  queryClient.fetchQuery(beginningQuery(tableId, query)).finally(() => forgetBeginning(tableId, query))
