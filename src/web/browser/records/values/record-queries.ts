import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { toApiError } from '../../api/api-error'
import { send } from '../../api/client'
import { queryClient } from '../../api/queries'
import { jsonHeaders, recordsUrl, recordUrl } from '../../api/urls'
import { parseExact } from '../../values/exact-json'
import type { TableRecord } from './record-key'

export type FetchedRecord = { record: TableRecord; etag: string }

/** A record after a write, and the id of the request, by which the log can undo it. */
export type WriteResult = FetchedRecord & { requestId: string | null }

/** A value that a form has changed: the stored value before and after the save. */
export type SavedChange = { column: string; before: unknown; after: unknown }

export const recordQuery = (table: TableView, segment: string) =>
  queryOptions({
    queryKey: ['record', table.id, segment],
    queryFn: (): Promise<FetchedRecord> => fetchRecord(recordUrl(table.id, segment)),
    // Structural sharing would copy the exact numbers.
    structuralSharing: false,
  })

/** @throws ApiError */
export async function fetchRecord(path: string, init?: RequestInit): Promise<WriteResult> {
  const response = await send(path, init)
  if (!response.ok) throw await toApiError(response)
  const { headers } = response
  return {
    record: parseExact(await response.text()) as TableRecord,
    etag: headers.get('etag') ?? '',
    requestId: headers.get('x-request-id'),
  }
}

/** Updates a record if its version is unchanged. @throws ApiError precondition_failed, validation_failed, conflict … */
export const patchRecord = (table: TableView, segment: string, etag: string, body: string): Promise<WriteResult> =>
  fetchRecord(recordUrl(table.id, segment), { method: 'PATCH', headers: { ...jsonHeaders, 'if-match': etag }, body })

/** @param idempotencyKey is reused to repeat a creation whose outcome is unknown */
export const createRecord = (table: TableView, idempotencyKey: string, body: string): Promise<WriteResult> =>
  fetchRecord(recordsUrl(table.id), { method: 'POST', headers: { ...jsonHeaders, 'idempotency-key': idempotencyKey }, body })

export async function removeRecord(table: TableView, segment: string): Promise<void> {
  const response = await send(recordUrl(table.id, segment), { method: 'DELETE' })
  if (!response.ok) throw await toApiError(response)
}

/** Invalidates all cached lists of the table's records. */
export const invalidateRecords = (table: TableView) => queryClient.invalidateQueries({ queryKey: ['records', table.id] })

/** Fetches records by a query of the API. */
export async function fetchRecords(
  table: TableView,
  query: Record<string, string> | string[][],
  signal?: AbortSignal,
): Promise<TableRecord[]> {
  const response = await send(recordsUrl(table.id, String(new URLSearchParams(query))), { signal })
  if (!response.ok) throw await toApiError(response)
  return (parseExact(await response.text()) as { records: TableRecord[] }).records
}
