import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { send } from '../../api'
import { queryClient } from '../../queries'
import { refusalOf } from '../../refusal'
import { parseExact } from './exact-json'
import { asSegment, type TableRecord } from './key'

/** A record and the version that it had. */
export type Stored = { record: TableRecord; etag: string }

export const recordPath = ({ id }: Pick<TableView, 'id'>, segment: string): string => `/api/v1/tables/${id}/records/${asSegment(segment)}`

export const recordQuery = (table: TableView, segment: string) =>
  queryOptions({
    queryKey: ['record', table.id, segment],
    queryFn: () => ask(recordPath(table, segment)),
    // It would copy the numbers that are kept as they came.
    structuralSharing: false,
  })

/** @throws Refusal */
async function ask(path: string, init?: RequestInit): Promise<Stored> {
  const response = await send(path, init)
  if (!response.ok) throw await refusalOf(response)
  return { record: parseExact(await response.text()) as TableRecord, etag: response.headers.get('etag') ?? '' }
}

const json = { 'content-type': 'application/json' }

/** Changes a record if it still has the version that was seen. @throws Refusal precondition_failed, validation_failed, conflict … */
export const changeRecord = (table: TableView, segment: string, etag: string, body: string): Promise<Stored> =>
  ask(recordPath(table, segment), { method: 'PATCH', headers: { ...json, 'if-match': etag }, body })

/** @param segment of the key when it was chosen and the service would count it otherwise */
export const makeRecord = (table: TableView, body: string, segment?: string): Promise<Stored> =>
  segment === undefined
    ? ask(`/api/v1/tables/${table.id}/records`, { method: 'POST', headers: json, body })
    : ask(recordPath(table, segment), { method: 'PUT', headers: { ...json, 'if-none-match': '*' }, body })

export async function deleteRecord(table: TableView, segment: string): Promise<void> {
  const response = await send(recordPath(table, segment), { method: 'DELETE' })
  if (!response.ok) throw await refusalOf(response)
}

/** Everything that was read of the table's records is old now. */
export const forgetRecords = (table: TableView) => queryClient.invalidateQueries({ queryKey: ['records', table.id] })

/** Reads records by a query of the API's grammar. */
export async function listRecords(table: TableView, query: Record<string, string>): Promise<TableRecord[]> {
  const response = await send(`/api/v1/tables/${table.id}/records?${new URLSearchParams(query)}`)
  if (!response.ok) throw await refusalOf(response)
  return (parseExact(await response.text()) as { records: TableRecord[] }).records
}
