import { databaseFailure } from '../../db/errors'
import type { Db } from '../../db/pool/open'
import { catalogVersionSql } from '../../db/schema/catalog-version'
import { withCatalogPath } from '../../db/search-path'
import type { Events } from '../../ops/log/events'
import { withTimeout } from '../../timeout'
import type { Catalog } from './catalog'

const pollIntervalMs = 2000
/** With event triggers, only every 30th poll compares the fingerprint. */
const pollsPerComparison = 30
/** A stop waits this long for a poll that is running. */
const maxStopWaitMs = 2000

/** Rowhouse's own channel, and PostgREST's, which existing scripts use. */
const channels = ['rowhouse', 'pgrst']
const isReload = (channel: string, payload: string) =>
  channel === 'rowhouse' ? payload === 'reload' : ['', 'reload schema'].includes(payload)

const poll = `select ${catalogVersionSql}::text as version, exists (select from rowhouse.catalog_changes) as has_changes`

/** A change of definitions through Rowhouse holds a lock on the version's row. These statements do not wait for it. */
const lockIfFree = 'with free as materialized (select one from rowhouse.catalog_version for update skip locked)'

// Readers add both numbers (`db/schema/catalog-version.ts`), so the version that they see stays the same.
const countChanges = `${lockIfFree}, counted as (delete from rowhouse.catalog_changes where exists (select from free) returning id)
  update rowhouse.catalog_version set version = version + (select count(*) from counted) where exists (select from counted)`

const raise = `${lockIfFree} update rowhouse.catalog_version set version = version + 1 where exists (select from free)`

/**
 * Each row of pg_catalog names the transaction that wrote it (`xmin`). The fingerprint is the count, the sum and the
 * maximum of these numbers, over all rows that hold definitions or rights. It leaves out temporary tables and
 * PostgreSQL's own schemas.
 */
const fingerprint = `with schemas as materialized (select oid, xmin from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'rowhouse')),
  relations as materialized (select oid, xmin from pg_class where relnamespace in (select oid from schemas) and relkind in ('r', 'p', 'f', 'v', 'm', 'i', 'I', 'S')),
  touched as (
    select xmin from schemas union all select xmin from relations
    union all select a.xmin from pg_attribute a join relations r on r.oid = a.attrelid where a.attnum > 0
    union all select d.xmin from pg_attrdef d join relations r on r.oid = d.adrelid
    union all select c.xmin from pg_constraint c join relations r on r.oid = c.conrelid
    union all select i.xmin from pg_index i join relations r on r.oid = i.indrelid
    union all select w.xmin from pg_rewrite w join relations r on r.oid = w.ev_class
    union all select t.xmin from pg_trigger t join relations r on r.oid = t.tgrelid
    union all select i.xmin from pg_inherits i join relations r on r.oid = i.inhparent
    union all select t.xmin from pg_type t where t.typnamespace in (select oid from schemas)
    union all select e.xmin from pg_enum e
    union all select p.xmin from pg_proc p where p.pronamespace in (select oid from schemas)
    union all select m.xmin from pg_auth_members m)
  select concat_ws(' ', count(*), sum(xmin::text::int8), max(xmin::text::int8)) as fingerprint from touched`

const compare = `with found as materialized (${fingerprint}), free as materialized (select one from rowhouse.catalog_version for update skip locked)
  update rowhouse.catalog_version v set version = version + 1, fingerprint = found.fingerprint
  from found where v.fingerprint is distinct from found.fingerprint and exists (select from free)`

export type CatalogWatch = { onNotify: (channel: string, payload: string) => void; stop: () => Promise<void> }

export type WatchOptions = {
  /** Whether event triggers note changes by other programs. No event trigger fires when a role's memberships change. */
  hasEventTriggers: boolean
  /** False for a pooler in transaction mode, where LISTEN does not work. */
  canListen: boolean
  /** The schemas of the settings. The watch warns when one is missing. */
  schemas: readonly string[]
}

/**
 * Finds changes that other programs make to the definitions, on every instance, and reads the definitions before a
 * request needs them. Requests do not depend on it to see the latest version: each reads the version with its caller.
 * @param db a connection of its own, whose notifications go to `onNotify`
 */
export function watchCatalog(
  db: Db,
  catalog: Catalog,
  events: Events,
  { hasEventTriggers, canListen, schemas }: WatchOptions,
): CatalogWatch {
  const missing = new Set<string>()
  let polls = 0
  let isStopped = false
  let running: Promise<void> = Promise.resolve()

  const tick = async () => {
    if (canListen) await db.sql.unsafe(channels.map((channel) => `listen ${channel}`).join('; '))
    if (!hasEventTriggers || polls % pollsPerComparison === 0) await withCatalogPath(db, (query) => query(compare))
    polls++
    await readVersion()
  }
  const readVersion = async () => {
    const [found] = await db.query<{ version: string; has_changes: boolean }>(poll)
    if (found!.has_changes) await db.query(countChanges)
    const tables = await catalog.at(Number(found!.version))
    reportMissingSchemas(schemas, tables.schemas, missing, events)
  }
  /** Runs one task after another. Other parts of the service report a database that cannot be reached. */
  const enqueue = (task: () => Promise<unknown>) => {
    running = running
      .then(() => (isStopped ? undefined : task()))
      .then(() => {})
      .catch((error) => {
        if (!isStopped && !databaseFailure(error)) events.emit({ kind: 'background_failed', task: 'looking for changed tables', error })
      })
  }
  const onNotify = (channel: string, payload: string) => {
    if (isReload(channel, payload)) enqueue(() => db.query(raise).then(readVersion))
    else if (channel === 'rowhouse') enqueue(readVersion)
  }
  enqueue(tick)
  const timer = setInterval(() => enqueue(tick), pollIntervalMs)
  const stop = async () => {
    isStopped = true
    clearInterval(timer)
    // PostgreSQL logs an error when a connection closes in the middle of a statement.
    await withTimeout(running, maxStopWaitMs, () => {})
    await db.close()
  }
  return { onNotify, stop }
}

/** The service keeps running when a schema of its settings is dropped. */
function reportMissingSchemas(wanted: readonly string[], found: readonly string[], missing: Set<string>, events: Events) {
  for (const name of wanted) {
    const isThere = found.includes(name)
    if (isThere && missing.delete(name)) events.emit({ kind: 'note', message: `The schema "${name}" of ROWHOUSE_SCHEMAS is there again.` })
    if (isThere || missing.has(name)) continue
    missing.add(name)
    events.emit({
      kind: 'warning',
      message: `The schema "${name}" of ROWHOUSE_SCHEMAS is no longer in the database; its tables are not served.`,
    })
  }
}
