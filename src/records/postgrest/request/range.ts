import { throwRangeFailure } from '../errors/failure'

/** Rows from `offset` on, at most `limit` of them. */
export type RowRange = { offset: number; limit: number }

const headerForm = /^(\d{1,15})-(\d{0,15})$/

/**
 * The rows within `limit` and `offset`, the header `Range: 0-9` and our own limit; all three apply. A malformed header
 * is ignored.
 * @param most the maximum number of rows in a response
 * @throws RestFailure PGRST103 for a header whose range ends before it begins
 */
export function readRowRange(header: string | null, query: { limit?: number; offset?: number }, most: number): RowRange {
  const offset = query.offset ?? 0
  const limit = query.limit ?? Number.MAX_SAFE_INTEGER
  const [found, first = '', last = ''] = headerForm.exec(header ?? '') ?? []
  if (found === undefined) return { offset, limit: Math.min(limit, most) }
  const from = Number(first)
  const to = last === '' ? Number.MAX_SAFE_INTEGER : Number(last)
  if (to < from) throwRangeFailure('The lower boundary must be lower than or equal to the upper boundary in the Range header.')
  const begin = Math.max(offset, from)
  const end = Math.min(offset + limit, to + 1)
  if (end <= begin && limit > 0)
    throwRangeFailure('The lower boundary must be lower than or equal to the upper boundary in the Range header.')
  return { offset: begin, limit: Math.max(0, Math.min(end - begin, most)) }
}

/**
 * `Content-Range` (RFC 9110 section 14.4) with PostgREST's unit, which is omitted: `0-9/100`, with `*` for unknown
 * parts.
 */
export function contentRange(first: number, count: number, total: number | undefined): string {
  const range = total !== 0 && count > 0 ? `${first}-${first + count - 1}` : '*'
  return `${range}/${total ?? '*'}`
}

/**
 * 206 if the rows are a part of all rows; 200 if they are all or the total is unknown.
 * @throws RestFailure PGRST103 (416) if the rows begin after the last one
 */
export function rangeStatus(offset: number, count: number, total: number | undefined): 200 | 206 {
  if (total === undefined) return 200
  if (offset > total) throwRangeFailure(`An offset of ${offset} was requested, but there are only ${total} rows.`, total)
  return count < total ? 206 : 200
}
