import { catalogVersionSql } from '../../db/catalog-version'
import { databaseFailure } from '../../db/errors'
import type { Db } from '../../db/open'
import { withCatalogPath } from '../../db/search-path'
import type { Events } from '../../ops/events'
import { withTimeout } from '../../timeout'
import type { Catalog } from './catalog'

/**
 * How often an instance looks, how often it compares where PostgreSQL tells of most changes by itself, and how long a
 * stop waits for a look.
 */
const pollIntervalMs = 2000
const pollsPerComparison = 30
const maxStopWaitMs = 2000

/** Rowhouse's own word and PostgREST's, which people have in their scripts. */
const channels = ['rowhouse', 'pgrst']
const isReload = (channel: string, payload: string) =>
  channel === 'rowhouse' ? payload === 'reload' : ['', 'reload schema'].includes(payload)

const poll = `select ${catalogVersionSql}::text as version, exists (select from rowhouse.catalog_changes) as has_changes`

/** Whoever changes definitions through Rowhouse holds the row of the version: nobody waits for that here. */
const lockIfFree = 'with free as materialized (select one from rowhouse.catalog_version for update skip locked)'

// The sum of both stays the same, so for everybody else nothing happens.
const countChanges = `${lockIfFree}, counted as (delete from rowhouse.catalog_changes where exists (select from free) returning id)
  update rowhouse.catalog_version set version = version + (select count(*) from counted) where exists (select from counted)`

const raise = `${lockIfFree} update rowhouse.catalog_version set version = version + 1 where exists (select from free)`

/**
 * Number, sum and largest number of the transactions that wrote the rows of pg_catalog which definitions and rights
 * consist of. Temporary tables, which come and go, and what PostgreSQL itself keeps are left out.
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
  /**
   * Whether PostgreSQL tells by event triggers what others change; rights that come by a role's memberships it tells
   * nobody.
   */
  hasEventTriggers: boolean
  /** Behind a pooler in transaction mode nobody can listen. */
  canListen: boolean
  /** The settings' schemas, to say when one is gone. */
  schemas: readonly string[]
}

/**
 * Sees to it that changes by others than Rowhouse are found by every instance, and that the definitions are read before
 * a request needs them. That requests see the latest version does not depend on it: each brings that along.
 * @param db a connection of its own, whose notifications go to `heard`
 */
export function watchCatalog(
  db: Db,
  catalog: Catalog,
  events: Events,
  { hasEventTriggers: isTold, canListen, schemas }: WatchOptions,
): CatalogWatch {
  const missing = new Set<string>()
  let looks = 0
  let isStopped = false
  let looking: Promise<void> = Promise.resolve()

  const tick = async () => {
    if (canListen) await db.sql.unsafe(channels.map((channel) => `listen ${channel}`).join('; '))
    if (!isTold || looks % pollsPerComparison === 0) await withCatalogPath(db, (query) => query(compare))
    looks++
    await refresh()
  }
  const refresh = async () => {
    const [found] = await db.query<{ version: string; has_changes: boolean }>(poll)
    if (found!.has_changes) await db.query(countChanges)
    const tables = await catalog.at(Number(found!.version))
    reportMissingSchemas(schemas, tables.schemas, missing, events)
  }
  /** One after another, and a database that is away is said elsewhere. */
  const enqueue = (task: () => Promise<unknown>) => {
    looking = looking
      .then(() => (isStopped ? undefined : task()))
      .then(() => {})
      .catch((error) => {
        if (!isStopped && !databaseFailure(error)) events.emit({ kind: 'background_failed', task: 'looking for changed tables', error })
      })
  }
  const onNotify = (channel: string, payload: string) => {
    if (isReload(channel, payload)) enqueue(() => db.query(raise).then(refresh))
    else if (channel === 'rowhouse') enqueue(refresh)
  }
  enqueue(tick)
  const timer = setInterval(() => enqueue(tick), pollIntervalMs)
  const stop = async () => {
    isStopped = true
    clearInterval(timer)
    // A connection that is closed in the middle of a statement leaves a complaint in PostgreSQL's log.
    await withTimeout(looking, maxStopWaitMs, () => {})
    await db.close()
  }
  return { onNotify: onNotify, stop }
}

/** A schema that is dropped while the service runs is no reason to end it. */
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
