import { entityTag } from '../store/etag'
import { writeKey } from '../store/key'
import type { Listing } from '../store/reads/list'
import type { StoredRecord } from '../store/reads/reader'
import type { WrittenRecord } from '../store/service'

const json = 'application/json;charset=utf-8'

const versionHeaders = ({ version }: StoredRecord) => ({ etag: entityTag(version), 'cache-control': 'private, no-cache' })

/** The requested options of a write that its response confirms in headers. */
export type Manner = { isDryRun?: boolean; preferred?: 'minimal' | 'representation' }

const mannerHeaders = ({ isDryRun, preferred }: Manner): Record<string, string> => ({
  ...(isDryRun ? { 'dry-run': 'true' } : {}),
  ...(preferred ? { 'preference-applied': `return=${preferred}` } : {}),
})

export const oneRecord = (record: StoredRecord, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(record.json, { status, headers: { 'content-type': json, ...versionHeaders(record), ...headers } })

export const notModified = (record: StoredRecord): Response => new Response(null, { status: 304, headers: versionHeaders(record) })

export function listing({ json: records, nextCursor, nextOffset, totalCount }: Listing): Response {
  const more =
    (nextOffset === undefined ? '' : `,"nextOffset":${nextOffset}`) + (totalCount === undefined ? '' : `,"totalCount":${totalCount}`)
  return new Response(`{"records":${records},"nextCursor":${JSON.stringify(nextCursor)}${more}}`, { headers: { 'content-type': json } })
}

/** 201, or 200 for an existing record. @param address of the list of records */
export function writtenRecord(record: WrittenRecord, address: string, manner: Manner, status: number): Response {
  const location = status === 201 && record.key.length ? { location: `${address}/${writeKey(record.key)}` } : undefined
  const headers = { ...mannerHeaders(manner), ...location }
  if (manner.preferred !== 'minimal') return oneRecord(record, status, headers)
  return new Response(null, { status: status === 201 ? 201 : 204, headers: { ...versionHeaders(record), ...headers } })
}

export function manyWritten(records: WrittenRecord[], manner: Manner): Response {
  const headers = mannerHeaders(manner)
  if (manner.preferred === 'minimal') return new Response(null, { status: 201, headers })
  return new Response(`[${records.map((record) => record.json).join(',')}]`, { status: 201, headers: { 'content-type': json, ...headers } })
}

export const removed = (manner: Manner): Response =>
  new Response(null, { status: 204, headers: mannerHeaders({ isDryRun: manner.isDryRun }) })

export function affected(count: number, records: string[] | undefined, manner: Manner): Response {
  const headers = mannerHeaders(manner)
  if (manner.preferred === 'minimal') return new Response(null, { status: 204, headers })
  const shown = records ? `,"records":[${records.join(',')}]` : ''
  return new Response(`{"affected":${count}${shown}}`, { headers: { 'content-type': json, ...headers } })
}

export const plainJson = (text: string, manner: Manner): Response =>
  new Response(text, { headers: { 'content-type': json, ...mannerHeaders(manner) } })
