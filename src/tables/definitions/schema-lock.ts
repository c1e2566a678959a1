import { sqlState } from '../../db/errors'
import type { Db, Executor, Query } from '../../db/pool/open'
import { outsideOfScopes } from '../../db/pool/scope'
import { catalogVersionSql } from '../../db/schema/catalog-version'
import { ownPath, withCatalogPath } from '../../db/search-path'
import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import type { Catalog, Tables } from '../catalog/catalog'
import { logTables } from '../log/triggers'
import { areRollupsIndexed, indexRollups } from './links/rollup-indexes'
import { maintainSearchIndexes, yieldToChange } from './search-indexes'

/** The dependencies of a change of definitions. */
export type Definitions = { db: Db; catalog: Catalog }

/** `tables` is the state within the transaction. Until it ends, Rowhouse makes no other change of definitions. */
export type SchemaChange = { query: Query; transaction: Executor['transaction']; tables: Tables }

/**
 * While an ALTER TABLE waits for a lock, all later statements on the table wait for it. So it gives up soon, lets them
 * run, and retries.
 */
const lockTimeoutMs = 400
const retryPauseMs = 250
const maxWaitMs = 5000
/** The limit for one instance. */
const maxQueuedChanges = 50

/** Another session has changed definitions since they were read. */
class OutdatedDefinitions extends Error {}

/** Each instance runs one change after another, so that waiting changes do not take all connections. */
const queues = new WeakMap<Db, { last: Promise<unknown>; length: number }>()

/**
 * Changes definitions and the catalogue in one transaction, one such change at a time among all instances.
 * @param work may run more than once, and then from its beginning
 * @throws Failure unavailable when another session holds a lock for too long
 */
export async function withSchemaLock<Result>(definitions: Definitions, work: (change: SchemaChange) => Promise<Result>): Promise<Result> {
  const queue = queues.get(definitions.db) ?? { last: Promise.resolve(), length: 0 }
  queues.set(definitions.db, queue)
  if (queue.length >= maxQueuedChanges) throw unavailable(translatable('Too many changes of tables are already waiting.'), 5)
  queue.length++
  const done = queue.last.then(() => retryChange(definitions, work))
  queue.last = done.catch(() => {}).finally(() => queue.length--)
  const result = await done
  // Runs in the background, since it takes minutes. An error will recur in the hourly maintenance, which logs it.
  outsideOfScopes(() => maintainAfterChange(definitions)).catch(() => {})
  return result
}

/** Rebuilds indexes that other programs have dropped, or whose build was interrupted. Called every hour. */
export async function maintainIndexes(definitions: Definitions): Promise<void> {
  if (!(await withCatalogPath(definitions.db, areRollupsIndexed))) await withSchemaLock(definitions, async () => {})
  await maintainSearchIndexes(definitions)
}

async function maintainAfterChange(definitions: Definitions): Promise<void> {
  const { list } = await definitions.catalog.current()
  if (list.some(({ searchIndex: { isOn, ready } }) => isOn || ready)) await maintainSearchIndexes(definitions)
}

async function retryChange<Result>(definitions: Definitions, work: (change: SchemaChange) => Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await attemptChange(definitions, work)
    } catch (error) {
      // 55P03: lock_not_available; 40P01: deadlock_detected.
      const isPassing = error instanceof OutdatedDefinitions || ['55P03', '40P01'].includes(sqlState(error) ?? '')
      if (!isPassing) throw error
      if (performance.now() - startedAt > maxWaitMs) {
        throw unavailable(translatable('A long-running operation is using the table. Nothing was changed.'), 5)
      }
      if (!(error instanceof OutdatedDefinitions)) {
        // Runs outside the request's scope: the request has not written yet.
        await outsideOfScopes(() => yieldToChange(definitions.db))
        await Bun.sleep(retryPauseMs)
      }
    }
  }
}

async function attemptChange<Result>({ db, catalog }: Definitions, work: (change: SchemaChange) => Promise<Result>): Promise<Result> {
  const tables = await catalog.current()
  return withCatalogPath(db, async (query, transaction) => {
    await query(`set local lock_timeout = ${lockTimeoutMs}`, [], { prepare: false })
    // From here to the end of the transaction, no other session changes definitions through Rowhouse.
    await query('update rowhouse.catalog_version set version = version + 1')
    const [row] = await query<{ version: string }>(`select ${catalogVersionSql}::text as version`)
    if (Number(row!.version) !== tables.version + 1) throw new OutdatedDefinitions()
    const result = await work({ query, transaction, tables })
    await logTables(query)
    await indexRollups({ query, transaction })
    // Deferred triggers and constraints of users' tables run at the commit.
    await query(ownPath)
    return result
  })
}
