import { sql } from 'drizzle-orm'
import { unavailable } from '../errors'
import { translatable } from '../messages/message'
import { sqlState } from './errors'
import type { Db, Tx } from './pool/open'

/** Tables, groups or rules were changed during each attempt, or a transaction holds the version of the catalogue. */
export const catalogChanging = () => unavailable(translatable('Tables and groups are being changed right now. Nothing was saved.'), 5)

/**
 * A transaction that locks the version of the catalogue. An import into a new table locks it until all records are
 * written; waiting for the full time limit of a statement would result in advice about the request instead of the
 * reason.
 * @throws Failure unavailable
 */
export async function briefTransaction<Result>({ orm }: Pick<Db, 'orm'>, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  try {
    return await orm.transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = '5s'`)
      return work(tx)
    })
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error
    throw catalogChanging()
  }
}
