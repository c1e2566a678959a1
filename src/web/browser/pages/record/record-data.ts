import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { send } from '../../api'
import { queryClient } from '../../queries'
import { refusalOf } from '../../refusal'
import { parseExact, textOf } from './exact-json'

export type TableRecord = Record<string, unknown>

/** A record and the version that it had. */
export type Stored = { record: TableRecord; etag: string }

/**
 * The key of a record as the API has it in paths: its parts with commas between, each percent-encoded. It stands in the addresses of pages, encoded
 * once more by the router, so that a comma in a part stays one.
 */
export const keySegment = ({ primaryKey }: TableView, record: TableRecord): string => {
  const segment = primaryKey.map((name) => encodeURIComponent(textOf(record[name]))).join(',')
  // That address is the page for a new record.
  return segment === 'new' ? '%6Eew' : segment
}

/** Addresses may also be typed by hand, with the key as it is. */
export const asSegment = (typed: string): string => typed.replace(/%(?![0-9a-f]{2})|[/?#\\]/gi, encodeURIComponent)

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

/** A name in a query: all but plain ones stand in double quotes. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
