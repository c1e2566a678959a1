import type { Sql } from 'postgres'
import { sqlState } from '../../db/errors'
import { lockKeys } from '../../db/lock-keys'
import type { Db, Query } from '../../db/pool/open'
import { trySessionLock } from '../../db/pool/session-lock'
import { withCatalogPath } from '../../db/search-path'
import type { Catalog } from '../catalog/catalog'
import type { SearchIndexView } from '../catalog/search-index-model'
import { searchIndexName, searchIndexNames, searchTrigrams } from '../catalog/search-text'
import type { Table } from '../model'
import { searchIndexState } from '../present'
import { identifier, qualifiedName } from '../sql-text'

/** An index for the search. It is invalid while it is built, and after a build that was interrupted. */
type SearchIndex = { table: string; name: string; isValid: boolean }

/** The next step towards the indexes that the tables should have. */
type IndexStep = { kind: 'build' | 'drop'; table: Table; name: string }

type Definitions = { db: Db; catalog: Catalog }

const presentIndexes = `select c.relname as table, x.relname as name, i.indisvalid as "isValid"
  from pg_index i join pg_class x on x.oid = i.indexrelid and x.relname ~ '${searchIndexNames.source}'
    join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'data'`

/** A trusted extension: the role needs the right to create in the database. */
export const createTrigrams = 'create extension if not exists pg_trgm with schema rowhouse'

const trigramSchema = `select n.nspname as name from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm'`

/**
 * Creates the extension if it is missing, and calls it, to fail early if the role has no right to use it.
 * @param run runs a statement in which names are PostgreSQL's own
 * @returns its schema
 */
export async function requireTrigrams(run: (statement: string) => PromiseLike<object[]>): Promise<string> {
  await run(createTrigrams)
  const [schema] = (await run(trigramSchema)) as { name: string }[]
  await run(`select ${identifier(schema!.name)}.show_trgm('')`)
  return schema!.name
}

/** Each search reads a list of new records, which is merged at this size: merging many at once costs less for each. */
const pendingKb = 16_384

/** A change of definitions retries to take its lock within this time. */
const yieldMs = 1000

/** More cancellations have another cause; the next change or the hourly maintenance makes the next attempt. */
const maxYields = 5

/** The role may have its own time limits. */
const settings = `set statement_timeout = 0; set lock_timeout = 0; set maintenance_work_mem = '128MB'; set search_path = pg_catalog, pg_temp`

/** The most recent error of each table whose step failed. */
const problems = new WeakMap<Db, Map<string, string>>()

function problemsOf(db: Db): Map<string, string> {
  const ofTables = problems.get(db) ?? new Map<string, string>()
  problems.set(db, ofTables)
  return ofTables
}

const maintenance = new WeakMap<Db, { again: boolean; done: Promise<void> }>()

/** Makes all instances read the definitions, because no event trigger fires when an index becomes valid. */
const announce = 'update rowhouse.catalog_version set version = version + 1'

/**
 * Builds the indexes that tables should have and drops the others, both concurrently, so that records can be written in
 * the meantime. One instance does so at a time. Called after each change of definitions, at startup and every hour.
 */
export function maintainSearchIndexes(definitions: Definitions): Promise<void> {
  const { db } = definitions
  const current = maintenance.get(db)
  if (current) {
    current.again = true
    return current.done
  }
  const state = { again: false, done: Promise.resolve() }
  maintenance.set(db, state)
  state.done = (async () => {
    do {
      state.again = false
      await takeSteps(definitions).catch((error) => {
        if (!state.again) throw error
      })
    } while (state.again)
  })().finally(() => maintenance.delete(db))
  return state.done
}

/**
 * Checks again after the lock is released: another instance may have left a step to this one in the meantime.
 * @throws the first error, after the steps of the other tables
 */
async function takeSteps(definitions: Definitions): Promise<void> {
  await announceUnknown(definitions)
  const failures = new Map<string, unknown>()
  const findStep = async () => nextSteps(await look(definitions)).find(({ table }) => !failures.has(table.id))
  let isTaken = true
  while (isTaken && (await findStep())) {
    isTaken = await definitions.db.withSession(async (session) => {
      // A statement that waits for the lock would hold a snapshot, and a concurrent build waits for snapshots.
      if (!(await trySessionLock(session, lockKeys.searchIndexes))) return false
      await session.unsafe(settings).simple()
      let yields = 0
      for (let step = await findStep(); step; step = await findStep()) {
        const { id } = step.table
        await takeStep(definitions, step, session).catch(async (error) => {
          if (sqlState(error) === canceled && yields++ < maxYields) return Bun.sleep(yieldMs)
          problemsOf(definitions.db).set(id, String(error.message))
          failures.set(id, error)
        })
      }
      return true
    })
  }
  for (const error of failures.values()) throw error
}

const canceled = '57014'

/** Cancels the present step for a change of definitions that waits for its lock. The step is repeated afterwards. */
export const yieldToChange = (db: Db): Promise<unknown> =>
  withCatalogPath(db, (query) =>
    query(`select pg_cancel_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid::bigint << 32 | objid::bigint = ${lockKeys.searchIndexes}`),
  )

/** An index becomes valid even if the service that builds it is killed. */
async function announceUnknown(definitions: Definitions): Promise<void> {
  const { tables, present } = await look(definitions)
  const isUnknown = (table: Table) => table.searchIndex.isOn && !table.searchIndex.ready && isBuilt(table, present)
  if (tables.list.some(isUnknown)) await definitions.db.query(announce)
}

const isBuilt = (table: Table, present: readonly SearchIndex[]): boolean =>
  present.some((index) => index.table === table.name && index.name === searchIndexName(table) && index.isValid)

async function takeStep({ db }: Definitions, { kind, table, name }: IndexStep, session: Sql) {
  if (kind === 'drop') await session.unsafe(`drop index concurrently if exists ${qualifiedName({ schema: table.schema, name })}`)
  if (kind === 'build') {
    const trigrams = searchTrigrams(table, await requireTrigrams((text) => session.unsafe(text)))
    await session.unsafe(
      `create index concurrently ${identifier(name)} on ${qualifiedName(table)} using gin (${trigrams}) with (gin_pending_list_limit = ${pendingKb})`,
    )
  }
  problemsOf(db).delete(table.id)
  await db.query(announce)
}

const look = async ({ db, catalog }: Definitions) => ({
  tables: await catalog.refresh(),
  present: await withCatalogPath(db, (query: Query) => query<SearchIndex>(presentIndexes)),
})

/**
 * Drops an invalid index before it is built again; an index that no longer fits stays until the new one is built.
 * Locked tables are left out, since not even their columns are known.
 */
function nextSteps({ tables, present }: Awaited<ReturnType<typeof look>>): IndexStep[] {
  return tables.list
    .filter((table) => table.isOwn && table.kind === 'table' && canBeIndexed(table))
    .flatMap((table) => {
      const own = present.filter((index) => index.table === table.name)
      const name = table.searchIndex.isOn ? searchIndexName(table) : null
      const drop = ({ name }: SearchIndex): IndexStep => ({ kind: 'drop', table, name })
      return [
        ...own.filter(({ isValid }) => !isValid).map(drop),
        ...(name === null || isBuilt(table, present) ? [] : [{ kind: 'build', table, name } as const]),
        ...own.filter((index) => index.isValid && index.name !== name).map(drop),
      ]
    })
}

/** The search first finds the keys of records by the index, so a key has to be a single value. */
export const canBeIndexed = ({ primaryKey }: Pick<Table, 'primaryKey'>): boolean => primaryKey.length === 1

/**
 * Drops the index before a change that rewrites the records: PostgreSQL would rewrite it within the change, while
 * nobody can use the table. It is built again after the change.
 */
export async function dropSearchIndexes(query: Query, table: Pick<Table, 'schema' | 'name'>): Promise<void> {
  const present = await query<SearchIndex>(presentIndexes)
  for (const { name } of present.filter((index) => index.table === table.name))
    await query(`drop index ${qualifiedName({ schema: table.schema, name })}`, [], { prepare: false })
}

/** `progress` is from 0 to 1. */
export async function readSearchIndex(db: Db, table: Table, isAdmin: boolean): Promise<SearchIndexView> {
  const view = await readProgress(db, table)
  const problem = isAdmin && view.state === 'building' ? problemsOf(db).get(table.id) : undefined
  return { ...view, ...(problem === undefined ? {} : { problem }) }
}

async function readProgress({ query }: Db, table: Table): Promise<SearchIndexView> {
  const state = searchIndexState(table)
  if (state !== 'building') return { state, progress: state === 'ready' ? 1 : 0 }
  const [row] = await query<{ progress: number }>(
    `select coalesce(p.blocks_done::float8 / nullif(p.blocks_total, 0), 0) as progress
     from pg_catalog.pg_stat_progress_create_index p join pg_catalog.pg_class x on x.oid operator(pg_catalog.=) p.index_relid
     where x.relname operator(pg_catalog.=) $1::text::name`,
    [searchIndexName(table)],
  )
  return { state, progress: row?.progress ?? 0 }
}
