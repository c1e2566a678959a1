import type { Actor } from '../auth/actor'
import { insufficientScope } from '../auth/actor'
import type { Db } from '../db/open'
import { notFound } from '../errors'
import { columnTypes } from './column-types'
import { isUuid } from './column-types/uuid'
import { defaultExpression, isGenerated } from './ddl'
import type { Column, Table, TableView } from './model'
import { nearest } from './nearest'

/**
 * The definitions of all tables, kept in memory and never stale: the look-up of the caller's credential brings the catalogue's version
 * along (`Actor.catalogVersion`), and another version than the kept one means to read it again (docs/decisions/001).
 */
export type Catalog = {
  at: (version: number) => Promise<Tables>
}

/** `byName` holds the names in the schema `data`. */
export type Tables = { version: number; list: Table[]; byId: Map<string, Table>; byName: Map<string, Table> }

type StoredColumn = Pick<Column, 'id' | 'name' | 'type' | 'required' | 'unique' | 'default' | 'options'> & { keyPosition: number | null }

type Snapshot = { version: number; tables: (Omit<TableView, 'columns' | 'primaryKey'> & { columns: StoredColumn[] })[] }

// One statement, so one snapshot: version and definitions belong together.
const readSnapshot = `select json_build_object(
  'version', (select version from rowhouse.catalog_version),
  'tables', coalesce((select json_agg(json_build_object(
    'id', t.id, 'schema', 'data', 'name', t.name, 'readOnly', false,
    'createdAt', to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'columns', coalesce((select json_agg(json_build_object(
      'id', c.id, 'name', c.name, 'type', c.type, 'required', c.required, 'unique', c.is_unique,
      'default', c."default", 'options', c.options, 'keyPosition', c.key_position) order by c.position)
      from rowhouse.columns c where c.table_id = t.id), '[]')) order by t.name)
    from rowhouse.tables t), '[]'))::text as snapshot`

export function createCatalog(db: Db): Catalog {
  let kept: Tables | null = null
  let loading: Promise<Tables> | null = null

  const load = (): Promise<Tables> => {
    loading ??= db
      .query<{ snapshot: string }>(readSnapshot)
      .then(([row]) => {
        kept = index(JSON.parse(row!.snapshot), kept)
        return kept
      })
      .finally(() => {
        loading = null
      })
    return loading
  }

  const at = async (version: number): Promise<Tables> => {
    if (kept?.version === version) return kept
    const isShared = loading !== null
    const loaded = await load()
    // A load that began before this request may have read an older state; one that begins now has not.
    return loaded.version === version || !isShared ? loaded : load()
  }
  return { at }
}

/** A table that is as it was stays the same object: what others keep for it is good still. */
function index({ version, tables }: Snapshot, before: Tables | null): Tables {
  const list = tables.map(({ columns, ...rest }): Table => {
    const keys = columns.filter(({ keyPosition }) => keyPosition !== null).sort((one, other) => one.keyPosition! - other.keyPosition!)
    const primaryKey = keys.map(({ name }) => name)
    const table: Table = {
      ...rest,
      kind: 'table',
      primaryKey,
      uniqueKeys: [primaryKey, ...columns.filter(({ unique }) => unique).map(({ name }) => [name])],
      foreignKeys: [],
      columns: columns.map(columnOf),
      hasRowVersion: true,
      rights: { select: true, insert: true, update: true, delete: true },
      isOwn: true,
      isJoinTable: false,
    }
    const known = before?.byId.get(table.id)
    return known && Bun.deepEquals(known, table, true) ? known : table
  })
  return { version, list, byId: new Map(list.map((table) => [table.id, table])), byName: new Map(list.map((table) => [table.name, table])) }
}

function columnOf({ keyPosition: _, ...column }: StoredColumn): Column {
  const sqlType = columnTypes[column.type].sqlType(column.options)
  const isCounted = isGenerated(column) && column.type === 'bigint'
  return {
    ...column,
    sqlType,
    comparedAs: column.type === 'decimal' ? 'numeric' : sqlType,
    defaultExpression: defaultExpression(column),
    filledBy: isCounted ? 'identity' : defaultExpression(column) ? 'default' : 'caller',
    isReadable: true,
    isWritable: true,
  }
}

/** Which tables this caller may see: a token can be held to some. */
const mayReach = ({ token }: Actor, table: Pick<Table, 'id'>): boolean => !token?.tables || token.tables.includes(table.id)

/** What exists for this caller: whoever plans a query against it cannot reach anything else, not by an embedding either. */
export async function tablesFor(catalog: Catalog, actor: Actor): Promise<Tables> {
  const tables = await catalog.at(actor.catalogVersion)
  if (!actor.token?.tables) return tables
  const list = tables.list.filter((table) => mayReach(actor, table))
  return {
    version: tables.version,
    list,
    byId: new Map(list.map((table) => [table.id, table])),
    byName: new Map(list.map((table) => [table.name, table])),
  }
}

export async function visibleTables(catalog: Catalog, actor: Actor): Promise<Table[]> {
  const { list } = await catalog.at(actor.catalogVersion)
  return list.filter((table) => mayReach(actor, table))
}

/**
 * @param reference the table's id, its name, or `data.name`
 * @throws Failure not_found, with the nearest name; insufficient_scope where the token does not reach it
 */
export async function getTable(catalog: Catalog, actor: Actor, reference: string): Promise<Table> {
  const tables = await catalog.at(actor.catalogVersion)
  const table = isUuid(reference)
    ? tables.byId.get(reference.toLowerCase())
    : (tables.byName.get(reference) ?? (reference.startsWith('data.') ? tables.byName.get(reference.slice('data.'.length)) : undefined))
  if (table && !mayReach(actor, table)) throw insufficientScope('to reach this table')
  if (table) return table
  const known = tables.list.filter((candidate) => mayReach(actor, candidate)).map(({ name }) => name)
  const similar = nearest(reference, known)
  throw notFound('There is no such table.', similar === undefined ? 'GET /api/v1/tables lists the tables.' : `Did you mean "${similar}"?`)
}
