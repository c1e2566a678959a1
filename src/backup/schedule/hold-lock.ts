import type { Sql } from 'postgres'
import { lockKeys } from '../../db/lock-keys'

/** Runs work while no other process removes a backup or sets a hold. */
export type Exclusively = <Result>(work: () => Promise<Result>) => Promise<Result>

/** The transaction is idle while it waits for a bucket, so its time limit is longer than those for S3. */
const takeLock = `select pg_catalog.set_config('idle_in_transaction_session_timeout', '10min', true), pg_catalog.pg_advisory_xact_lock(${lockKeys.backupHold})`

export const exclusivelyOn =
  (sql: Sql): Exclusively =>
  async (work) => {
    const done = await sql.begin(async (tx) => {
      await tx.unsafe(takeLock)
      return { result: await work() }
    })
    return done.result as Awaited<ReturnType<typeof work>>
  }
