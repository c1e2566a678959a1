import type { AuditSource } from '../../auth/audit/audit-log'
import type { Actor } from '../../auth/identity/actor'
import { canNameUsers, tableNotAllowed } from '../../auth/identity/actor'
import { withReason } from '../../auth/refusal-reason'
import type { Db, Query } from '../../db/pool/open'
import { outsideOfScopes } from '../../db/pool/scope'
import { catalogVersionSql } from '../../db/schema/catalog-version'
import { withCatalogPath } from '../../db/search-path'
import { type Failure, forbidden, notFound, unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import { type AccessSource, readAccess } from '../access-source'
import { isUuid } from '../column-types/uuid'
import { isVirtual } from '../computed-value'
import type { Table } from '../model'
import { nearest } from '../nearest'
import { type Introspection, introspect } from './introspection/introspection'
import { toTable } from './introspection/to-table'
import { canReach, canReachJoinTable, reachableColumns } from './links/reach'
import { withVirtualColumns } from './virtual-columns'

/**
 * The definitions of all tables, kept in memory and never stale. The query that looks up the caller's credential also
 * returns the catalogue's version (`Actor.catalogVersion`); a version other than the cached one causes a new read
 * (docs/decisions/001).
 */
export type Catalog = {
  at: (version: number) => Promise<Tables>
  /** Like `at`, from the cache; null if the cache does not have this version. */
  cached: (version: number) => Tables | null
  /** The definitions as they are now. */
  current: () => Promise<Tables>
  /** Reads the definitions again, whatever the version is. */
  refresh: () => Promise<Tables>
  /** Reduces the tables to those that the access document grants to the caller. */
  narrow: NarrowTables
  /**
   * Changes the texts that name tables and columns after a rename, within the transaction that renames.
   * @param query of the transaction
   * @param before the tables before the rename
   * @param names the old name and the new one
   * @param source the author of the rename; null if there is no user
   */
  followRename: (query: Query, before: Tables, names: RenamedNames, source: AuditSource | null) => Promise<void>
  /** The comparisons in access rules, share links and forms. */
  findComparisons: FindComparisons
}

/**
 * A stored text that compares a column with constants; `kind` and `name` say which text. The default of a form's field
 * has the operator `default`.
 */
export type StoredComparison = { kind: string; name: string; columnId: string; operator: string; values: readonly string[] }

/** Finds the comparisons in one kind of text. */
export type FindComparisons = (query: Query, tables: Tables) => Promise<StoredComparison[]>

export type RenamedNames = readonly [from: string, to: string]

/** One kind of text that names tables and columns: replaces the old names in it. */
export type FollowRename = (rename: Rename) => Promise<void>

/** `after` reads the tables as the transaction has left them, once. `query` runs in the transaction. */
type Rename = {
  query: Query
  names: RenamedNames
  before: Tables
  after: () => Promise<Tables>
  source: AuditSource | null
}

/** Returns the same object if no rule narrows the tables for this caller. */
export type NarrowTables = (tables: Tables, actor: Pick<Actor, 'user'>) => Tables

/** Everything that can be read, of all served schemas. */
export type Tables = {
  version: number
  /** The served schemas that exist, in the order in which a bare name is resolved. */
  schemas: string[]
  list: Table[]
  byId: Map<string, Table>
  /** By the bare name: the table of the first schema that has one. */
  byName: Map<string, Table>
  /** By schema and name, joined by a point. */
  byQualifiedName: Map<string, Table>
  /** Tables whose definitions have never been read, because another session has locked them. */
  locked: LockedTable[]
  /** The access document and the members of groups; null if it has no rules. */
  access: AccessSource | null
  /** Whether access rules hide something from the caller, who may then not use operations that cannot be narrowed. */
  isNarrowed: boolean
  /** Whether access rules hide something from the caller for writes. */
  isWriteNarrowed: boolean
  /** Whether the caller may not learn names of users: a search does not look for them then. */
  hidesUserNames: boolean
  /** Changes when the rules that apply to the caller change; empty if none applies. */
  rulesKey: string
}

type LockedTable = Pick<Table, 'id' | 'schema' | 'name'>

/** `isWhole` is false if a table could not be read because another session is changing it. */
type CachedTables = {
  tables: Tables
  typesText: string
  /** `table` as PostgreSQL and its own metadata describe it, without the parts that come from other tables. */
  texts: Map<string, { text: string; table: Table }>
  isWhole: boolean
}

/**
 * How long to wait before a locked table is read again: at first briefly, since the change may be about to end, then at
 * longer intervals.
 */
const shortWaitMs = 10
const longWaitMs = 500

/** The texts that name tables and columns, of one kind. */
export type NamingTexts = { follow: FollowRename; findComparisons: FindComparisons }

/**
 * @param schemas in the order in which a bare name is resolved; `data` is the first of them unless it is named
 * @param texts that follow renames, in the order in which they take their locks
 */
export function createCatalog(db: Db, schemas: readonly string[], narrow: NarrowTables, texts: readonly NamingTexts[] = []): Catalog {
  const served = [...new Set(schemas.includes('data') ? schemas : ['data', ...schemas])]
  let cached: CachedTables | null = null
  let readAt = 0
  let loading: Promise<Tables> | null = null

  const read = async (): Promise<CachedTables> => {
    const [found, access] = await withCatalogPath(db, async (query) => [await introspect(query, served), await readAccess(query)] as const)
    cached = mergeUnchanged(found, access, cached)
    readAt = performance.now()
    return cached
  }

  const load = (): Promise<Tables> => {
    loading ??= outsideOfScopes(read)
      .then((first) => (first.isWhole ? first : Bun.sleep(shortWaitMs).then(() => outsideOfScopes(read))))
      .then(({ tables }) => tables)
      .finally(() => {
        loading = null
      })
    return loading
  }

  const cachedAt = (version: number): Tables | null =>
    cached?.tables.version === version && (cached.isWhole || performance.now() - readAt < longWaitMs) ? cached.tables : null

  const at = async (version: number): Promise<Tables> => {
    const current = cachedAt(version)
    if (current) return current
    const isShared = loading !== null
    const loaded = await load()
    // A load that began before this request may have read an older state; one that begins now has not.
    return loaded.version === version || !isShared ? loaded : load()
  }

  const present = async () => {
    const [row] = await db.query<{ version: string }>(`select ${catalogVersionSql}::text as version`)
    return at(Number(row!.version))
  }

  const reread = async () => {
    await loading?.catch(() => {})
    return load()
  }

  const followRename: Catalog['followRename'] = async (query, before, names, source) => {
    let read: Promise<Tables> | null = null
    const after = () => {
      read ??= introspect(query, served).then((found) => mergeUnchanged(found, before.access, cached).tables)
      return read
    }
    for (const { follow } of texts) await follow({ query, names, before, after, source })
  }
  const findComparisons: FindComparisons = async (query, tables) => {
    const found: StoredComparison[] = []
    for (const each of texts) found.push(...(await each.findComparisons(query, tables)))
    return found
  }
  return { at, cached: cachedAt, current: present, refresh: reread, narrow, followRename, findComparisons }
}

/** An unchanged table stays the same object, so that whatever is cached for it remains valid. */
function mergeUnchanged(
  { version, schemas, types, typesText, relations }: Introspection,
  access: AccessSource | null,
  before: CachedTables | null,
): CachedTables {
  const texts: CachedTables['texts'] = new Map()
  const locked: LockedTable[] = []
  let isWhole = true
  for (const { text, read } of relations) {
    const known = before?.texts.get(relationKeyOf(text))
    if (known?.text === text && before?.typesText === typesText) {
      texts.set(relationKeyOf(text), known)
      continue
    }
    const relation = read()
    // The change has not been committed yet, so the last known definition still applies.
    if (relation.isLocked) {
      isWhole = false
      if (known) texts.set(relationKeyOf(text), known)
      else locked.push(toTable(relation, types))
      continue
    }
    const table = toTable(relation, types)
    texts.set(relationKeyOf(text), { text, table: known && Bun.deepEquals(known.table, table, true) ? known.table : table })
  }
  const read = [...texts.values()].map(({ table }) => table).filter(({ rights }) => rights.select)
  const list = withVirtualColumns(read).map((table) => unchanged(table, before?.tables.byId.get(table.id)))
  return {
    tables: indexTables({
      ...{ version, schemas, list, locked, access, rulesKey: '' },
      ...{ isNarrowed: false, isWriteNarrowed: false, hidesUserNames: false },
    }),
    typesText,
    texts,
    isWhole,
  }
}

const unchanged = (table: Table, known: Table | undefined): Table =>
  known && (known === table || (table.columns.some(isVirtual) && Bun.deepEquals(known, table, true))) ? known : table

/** Schema and name: the first two elements of the array in the text. */
const relationKeyOf = (text: string): string => /^\["(?:[^"\\]|\\.)*", "(?:[^"\\]|\\.)*"/.exec(text)![0]

/** The tables with their indexes by id and name. */
export function indexTables(tables: Omit<Tables, 'byId' | 'byName' | 'byQualifiedName'>): Tables {
  const { list } = tables
  return {
    ...tables,
    byId: new Map(list.map((table) => [table.id, table])),
    // If several tables have the same name, the first one counts. A map keeps the last entry, hence the reverse order.
    byName: new Map(list.map((table) => [table.name, table] as const).reverse()),
    byQualifiedName: new Map(list.map((table) => [`${table.schema}.${table.name}`, table])),
  }
}

/** The tables that exist for this caller. A query planned against them can reach no others, not even by embedding. */
export async function tablesFor(catalog: Catalog, actor: Actor): Promise<Tables> {
  const narrowed = await narrowedTables(catalog, actor)
  const tables = canNameUsers(actor) ? narrowed : withoutUserNames(narrowed)
  return actor.token?.tables ? reachable(tables, actor) : tables
}

/** A caller gets the same object each time, because plans are cached by that object. */
const nameless = new WeakMap<Tables, Tables>()

function withoutUserNames(tables: Tables): Tables {
  const made = nameless.get(tables) ?? { ...tables, hidesUserNames: true }
  nameless.set(tables, made)
  return made
}

/** The tables narrowed by the access document only, regardless of restrictions of the caller's token. */
export const narrowedTables = async (catalog: Catalog, actor: Actor): Promise<Tables> =>
  catalog.narrow(await catalog.at(actor.catalogVersion), actor)

const reachable = (tables: Tables, actor: Actor): Tables =>
  indexTables({
    ...tables,
    list: tables.list
      .filter((table) => canReach(actor, table) || canReachJoinTable(actor, tables, table))
      .map((table) => reachableColumns(actor, table)),
    locked: tables.locked.filter((table) => canReach(actor, table)),
  })

/** The tables to list: all except those that only hold the values of a column. */
export async function visibleTables(catalog: Catalog, actor: Actor): Promise<Table[]> {
  return listedTables(await narrowedTables(catalog, actor), actor)
}

export const listedTables = ({ list }: Pick<Tables, 'list'>, actor: Pick<Actor, 'token'>): Table[] =>
  list.filter((table) => !table.isJoinTable && canReach(actor, table)).map((table) => reachableColumns(actor, table))

/** @param reference the table's id, `schema.name`, or its bare name, in this order: a bare name may contain a dot */
export const findTable = (tables: Tables, reference: string): Table | undefined =>
  isUuid(reference) ? tables.byId.get(reference.toLowerCase()) : (tables.byQualifiedName.get(reference) ?? tables.byName.get(reference))

/** The shortest reference to the table. */
export const referenceTo = (tables: Tables, { id, schema, name }: Table): string =>
  [name, `${schema}.${name}`].find((reference) => findTable(tables, reference)?.id === id) ?? id

/**
 * @param reference like that of `findTable`
 * @throws Failure not_found, with the nearest name; insufficient_scope if the token does not cover it; unavailable
 * while it is being changed and has never been read
 */
export async function getTable(catalog: Catalog, actor: Actor, reference: string): Promise<Table> {
  const all = await catalog.at(actor.catalogVersion)
  const found = findTable(all, reference)
  if (found && !canReach(actor, found)) throw tableNotAllowed(found.name)
  const tables = catalog.narrow(all, actor)
  const table = found && tables.byId.get(found.id)
  if (found && !table) throw tableClosed(found)
  if (table) return reachableColumns(actor, table)
  const names = ({ schema, name }: LockedTable) => [name, `${schema}.${name}`]
  if (tables.locked.some((held) => canReach(actor, held) && (held.id === reference.toLowerCase() || names(held).includes(reference))))
    throw lockedTable()
  throw noSuchTable(
    tables.list.filter((candidate) => canReach(actor, candidate)),
    reference,
  )
}

/** The failure for a table to which no access rule gives the caller access. */
export const tableClosed = ({ name }: Pick<Table, 'name'>): Failure =>
  withReason(forbidden(translatable('You may not use this table.')), 'rule', name)

/** Whether the table exists, and with which columns, is known only after the other session has finished its change. */
export const lockedTable = (): Failure => unavailable(translatable('The table is being changed in the database right now.'), 5)

/** The failure for an unknown table, with the nearest of the names that the caller may know. */
export function noSuchTable(known: readonly Table[], reference: string): Failure {
  const listed = known.filter(({ isJoinTable }) => !isJoinTable)
  const similar = nearest(reference, [...new Set(listed.flatMap(({ schema, name }) => [name, `${schema}.${name}`]))])
  return notFound(
    translatable('There is no such table.'),
    similar === undefined ? translatable('GET /api/v1/tables lists the tables.') : translatable('Did you mean "{similar}"?', { similar }),
  )
}
