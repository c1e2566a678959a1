import { throwRangeFailure } from '../errors/failure'

/** Rows from `offset` on, at most `limit` of them. */
export type RowRange = { offset: number; limit: number }

const headerForm = /^(\d{1,15})-(\d{0,15})$/

/**
 * The rows that `limit` and `offset`, the header `Range: 0-9` and our own limit leave; all three hold. An unreadable
 * header is none.
 * @param most more rows are never sent
 * @throws RestFailure PGRST103 for a header that ends before it begins
 */
export function readRowRange(header: string | null, query: { limit?: number; offset?: number }, most: number): RowRange {
  const offset = query.offset ?? 0
  const limit = Math.min(query.limit ?? most, most)
  const [found, first = '', last = ''] = headerForm.exec(header ?? '') ?? []
  if (found === undefined) return { offset, limit }
  const from = Number(first)
  const to = last === '' ? Number.MAX_SAFE_INTEGER : Number(last)
  if (to < from) throwRangeFailure('The lower boundary must be lower than or equal to the upper boundary in the Range header.')
  const begin = Math.max(offset, from)
  const end = Math.min(offset + limit, to + 1)
  if (end <= begin && limit > 0)
    throwRangeFailure('The lower boundary must be lower than or equal to the upper boundary in the Range header.')
  return { offset: begin, limit: Math.max(0, Math.min(end - begin, limit)) }
}

/**
 * `Content-Range` (RFC 9110 section 14.4) with PostgREST's unit, which is not named: `0-9/100`, `*` and a star where
 * nothing is known.
 */
export function contentRange(first: number, count: number, total: number | undefined): string {
  const range = total !== 0 && count > 0 ? `${first}-${first + count - 1}` : '*'
  return `${range}/${total ?? '*'}`
}

/**
 * 206 where the rows are a part of what there is; 200 where nobody knows or they are all.
 * @throws RestFailure PGRST103 (416) when the rows begin behind the last
 */
export function rangeStatus(offset: number, count: number, total: number | undefined): 200 | 206 {
  if (total === undefined) return 200
  if (offset > total) throwRangeFailure(`An offset of ${offset} was requested, but there are only ${total} rows.`, total)
  return count < total ? 206 : 200
}
