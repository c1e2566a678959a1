import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../../tables/model'
import { refusalOf } from '../../../api/api-error'
import { send } from '../../../api/client'
import { queryClient } from '../../../api/queries'
import { jsonHeaders, recordAddress, recordsAddress } from '../../../api/urls'
import { parseExact } from '../../../values/exact-json'
import type { TableRecord } from './record-key'

/** A record and the version that it had. */
export type Stored = { record: TableRecord; etag: string }

export const recordQuery = (table: TableView, segment: string) =>
  queryOptions({
    queryKey: ['record', table.id, segment],
    queryFn: () => ask(recordAddress(table.id, segment)),
    // It would copy the numbers that are kept as they came.
    structuralSharing: false,
  })

/** @throws Refusal */
async function ask(path: string, init?: RequestInit): Promise<Stored> {
  const response = await send(path, init)
  if (!response.ok) throw await refusalOf(response)
  return { record: parseExact(await response.text()) as TableRecord, etag: response.headers.get('etag') ?? '' }
}

/** Changes a record if it still has the version that was seen. @throws Refusal precondition_failed, validation_failed, conflict … */
export const changeRecord = (table: TableView, segment: string, etag: string, body: string): Promise<Stored> =>
  ask(recordAddress(table.id, segment), { method: 'PATCH', headers: { ...jsonHeaders, 'if-match': etag }, body })

/** @param segment of the key when it was chosen and the service would count it otherwise */
export const makeRecord = (table: TableView, body: string, segment?: string): Promise<Stored> =>
  segment === undefined
    ? ask(recordsAddress(table.id), { method: 'POST', headers: jsonHeaders, body })
    : ask(recordAddress(table.id, segment), { method: 'PUT', headers: { ...jsonHeaders, 'if-none-match': '*' }, body })

export async function deleteRecord(table: TableView, segment: string): Promise<void> {
  const response = await send(recordAddress(table.id, segment), { method: 'DELETE' })
  if (!response.ok) throw await refusalOf(response)
}

/** Everything that was read of the table's records is old now. */
export const forgetRecords = (table: TableView) => queryClient.invalidateQueries({ queryKey: ['records', table.id] })

/** Reads records by a query of the API's grammar. */
export async function listRecords(
  table: TableView,
  query: Record<string, string> | string[][],
  signal?: AbortSignal,
): Promise<TableRecord[]> {
  const response = await send(recordsAddress(table.id, String(new URLSearchParams(query))), { signal })
  if (!response.ok) throw await refusalOf(response)
  return (parseExact(await response.text()) as { records: TableRecord[] }).records
}
