import type { Db } from '../db/pool/open'
import { besideRequest } from '../db/pool/scope'
import { Failure } from '../errors'
import { Lru } from '../lru'
import { translatable } from '../messages/message'
import { createKeyedHash } from './keyed-hash'
import { networkOf } from './network'

/** Allows at most `maxCalls` calls in any period of `periodS` seconds. */
export type BudgetLimit = { maxCalls: number; periodS: number }

/** The calls of one caller for one purpose. */
export type CallBudget = { key: string; limit: BudgetLimit }

/** Counts calls in the database, for all instances together. Keys are stored as keyed hashes. */
export type Budgets = {
  /**
   * Takes one call.
   * @throws Failure too_many_requests, with the time to wait, if none is left
   */
  take: (budget: CallBudget) => Promise<void>
}

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `30/m`: a count and one of s, m, h and d; null for any other text. */
export function readBudgetLimit(text: unknown): BudgetLimit | null {
  const [, maxCalls, unit] = (typeof text === 'string' && /^([1-9]\d{0,6})\/([smhd])$/.exec(text)) || []
  return maxCalls && unit ? { maxCalls: Number(maxCalls), periodS: secondsOf[unit]! } : null
}

/** The budget of an IP; for IPv6, of its /64 (SEC-20). @param purpose names the counted calls, without `|` */
export const addressBudget = (purpose: string, address: string, limit: BudgetLimit): CallBudget => ({
  key: `${purpose}|ip|${networkOf(address)}`,
  limit,
})

/** The budget of a token, by its id. */
export const tokenBudget = (purpose: string, tokenId: string, limit: BudgetLimit): CallBudget => ({
  key: `${purpose}|token|${tokenId}`,
  limit,
})

/** The maximum number of rejected callers to remember. */
const maxRefused = 10_000

export function createBudgets(db: Db): Budgets {
  const keyedHash = createKeyedHash(db)
  // When rejected callers may call again. Until then they are rejected without a database query: further calls would
  // only extend the wait. By `performance.now()`.
  const refusedUntil = new Lru<string, number>(maxRefused)
  return {
    take: async ({ key, limit: { maxCalls, periodS } }) => {
      const hash = (await keyedHash())(`budget|${key}|${maxCalls}/${periodS}`)
      const refusedMs = (refusedUntil.get(hash) ?? 0) - performance.now()
      if (refusedMs > 0) throw tooManyRequests(refusedMs)
      refusedUntil.delete(hash)
      const [row] = await besideRequest(() => db.query<{ waitMs: number }>(takeStatement, [hash, String(maxCalls), String(periodS)]))
      if (row!.waitMs === 0) return
      refusedUntil.set(hash, performance.now() + row!.waitMs)
      throw tooManyRequests(row!.waitMs)
    },
  }
}

const takeStatement = 'select rowhouse.take_from_budget($1, $2::integer, $3::integer) as "waitMs"'

function tooManyRequests(waitMs: number): Failure {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Failure('too_many_requests', translatable('Too many requests. Try again in {seconds} seconds.', { seconds }), {
    details: { retryAfterS: seconds },
    headers: { 'retry-after': String(seconds) },
  })
}

export async function pruneBudgets(db: Db): Promise<void> {
  await db.query('delete from rowhouse.budgets where expires_at < now()')
}
