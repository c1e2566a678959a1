import type { CachedIdentity } from '../../../auth/identity/identity-check'
import type { Executor, Query } from '../../../db/pool/open'
import { hasCursor, isTooLong, writeCursor } from '../../query/cursor'
import type { ReadPlan } from '../../query/plan/types'
import { pageParts, pageStatement, recordSeparator } from '../../query/sql/read'
import { readWeighed } from '../../query/sql/weight'
import { execute } from '../execute'
import { readPrepared } from './batched-reads'
import type { BoundRead } from './prepared-reads'

/**
 * `json` is an array. `isMore` is true when further records follow; then `nextCursor` points to them if the plan's
 * order is total.
 */
export type PageResult = { json: string; length: number; isMore: boolean; nextCursor: string | null }

type PageRow = { body: string | null; length: number; [key: `k${number}`]: string | null }

/**
 * @param read a read whose plan has a limit
 * @throws QueryFailure tooMuch
 */
export function readPage(executor: Executor, read: BoundRead, identity: CachedIdentity | undefined): Promise<PageResult> {
  const { plan } = read.prepared
  return readWeighed(plan, async (isQuick) => {
    const limit = plan.limit!
    const row = await readPrepared<PageRow>(executor, read, identity, isQuick, () => pageStatement(plan, { isAhead: true }))
    if (row.length > limit || !plan.after) return pageOf(plan, [row], limit)
    return pageOf(plan, await readRest(executor.query, plan, row, isQuick), limit)
  })
}

/**
 * After a cursor the list consists of several ranges. Each range fills the rest of the page that earlier ranges left.
 */
async function readRest(query: Query, plan: ReadPlan, first: PageRow, isQuick: boolean): Promise<PageRow[]> {
  const rows = [first]
  let left = plan.limit! - first.length
  for (let part = 1; part < pageParts(plan) && left >= 0; part++) {
    const [row] = await execute<PageRow>(query, plan.table, pageStatement(plan, { isAhead: true, part, limit: left, isQuick }))
    rows.push(row!)
    left -= row!.length
  }
  return rows
}

function pageOf(plan: ReadPlan, rows: PageRow[], limit: number): PageResult {
  const length = rows.reduce((sum, row) => sum + row.length, 0)
  const text = rows.flatMap(({ body }) => body ?? []).join(recordSeparator)
  const isMore = length > limit
  const shown = isMore ? text.slice(0, text.lastIndexOf(recordSeparator)) : text
  return {
    json: `[${shown.replaceAll(recordSeparator, ',')}]`,
    length: Math.min(length, limit),
    isMore,
    nextCursor: isMore ? cursorBehind(plan, rows) : null,
  }
}

/** The last row that is not empty holds the keys of the last record. */
function cursorBehind(plan: ReadPlan, rows: PageRow[]): string | null {
  if (!hasCursor(plan)) return null
  const { order, offset } = plan
  const last = rows.findLast((row) => order.some((_, index) => row[`k${index}`] !== null))!
  const values = order.map((_, index) => last[`k${index}`] ?? null)
  // A client that pages by offset can continue without a cursor.
  return offset !== undefined && isTooLong(values) ? null : writeCursor(order, values)
}
