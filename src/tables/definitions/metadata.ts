import type { Query } from '../../db/pool/open'
import { isVirtual } from '../computed-value'
import type { ColumnDescription, TableDescription } from '../ddl'
import type { Table, TablePatch } from '../model'

/** Stores the metadata of a table and its columns in `rowhouse.tables` and `rowhouse.columns`. */
export async function insertTableMetadata(query: Query, table: TableDescription): Promise<void> {
  await deleteStaleMetadata(query, table.name)
  await query('insert into rowhouse.tables (id, name, section) values ($1::uuid, $2::text, $3::text)', [
    ...[table.id, table.name],
    table.section ?? null,
  ])
  await query(
    `insert into rowhouse.columns (id, table_id, name, type, required, is_unique, "default", options, position, key_position, join_table)
     select c.id, $1::uuid, c.name, c.type, c.required, c."unique", c."default", c.options, c.position, c."keyPosition", c."joinTable"
     from jsonb_to_recordset($2::jsonb) as c (id uuid, name text, type text, required boolean, "unique" boolean, "default" jsonb,
       options jsonb, position integer, "keyPosition" integer, "joinTable" jsonb)`,
    [
      table.id,
      JSON.stringify(
        table.columns.map((column, position) => ({ ...toMetadata(column), position, keyPosition: positionInKey(table, column) })),
      ),
    ],
  )
}

/**
 * Deletes metadata of the same name: the caller has just created the real table, so the older table was dropped or
 * renamed in psql.
 */
async function deleteStaleMetadata(query: Query, name: string): Promise<void> {
  const [stale] = await query<{ id: string }>('select id::text as id from rowhouse.tables where name = $1::text', [name])
  if (stale) await deleteTableMetadata(query, stale.id)
}

const positionInKey = ({ primaryKey }: TableDescription, { name }: ColumnDescription): number | null => {
  const place = primaryKey.indexOf(name)
  return place < 0 ? null : place
}

function toMetadata(column: ColumnDescription) {
  const { id, name, type, required, unique, default: value, joinTable, target } = column
  const { name: table, ownColumns, targetColumns } = joinTable ?? {}
  return {
    ...{ id, name, type, required, unique, options: optionsInMetadata(column) },
    // JSON null becomes SQL's null, which is right: both mean that there is no default.
    default: value,
    joinTable: joinTable ? { name: table, ownColumns, targetColumns, targetType: target?.keyType } : null,
  }
}

/** PostgreSQL has no object that a virtual column's description could be a comment on. */
function optionsInMetadata({ type, options, description, readFormula }: ColumnDescription): Record<string, unknown> {
  if (!isVirtual({ type, options })) return options
  return { ...options, ...(readFormula ? { readFormula } : {}), ...(description === null ? {} : { description }) }
}

/**
 * Adds the column after all others. The real column exists already, so older metadata of that name belong to a column
 * that psql has dropped or renamed.
 */
export async function insertColumnMetadata(query: Query, tableId: string, column: ColumnDescription): Promise<void> {
  await deleteColumnMetadata(query, tableId, column.name)
  await query(
    `insert into rowhouse.columns (id, table_id, name, type, required, is_unique, "default", options, position, join_table)
     select c.id, $1::uuid, c.name, c.type, c.required, c."unique", c."default", c.options,
       (select coalesce(max(position) + 1, 0) from rowhouse.columns where table_id = $1::uuid), c."joinTable"
     from jsonb_to_record($2::jsonb) as c (id uuid, name text, type text, required boolean, "unique" boolean, "default" jsonb, options jsonb, "joinTable" jsonb)`,
    [tableId, JSON.stringify(toMetadata(column))],
  )
}

/** Updates by id; inserts metadata for a column that psql added to one of Rowhouse's tables. */
export async function updateColumnMetadata(query: Query, tableId: string, column: ColumnDescription): Promise<void> {
  await query('delete from rowhouse.columns where table_id = $1::uuid and name = $2::text and id <> $3::uuid', [
    tableId,
    column.name,
    column.id,
  ])
  const changed = await query<{ id: string }>(
    `update rowhouse.columns n set name = c.name, type = c.type, required = c.required, is_unique = c."unique", "default" = c."default", options = c.options,
       join_table = case when c.type = 'manyLinks' then coalesce(c."joinTable", n.join_table) end
     from jsonb_to_record($2::jsonb) as c (id uuid, name text, type text, required boolean, "unique" boolean, "default" jsonb, options jsonb, "joinTable" jsonb)
     where n.id = c.id and n.table_id = $1::uuid returning n.id`,
    [tableId, JSON.stringify(toMetadata(column))],
  )
  if (changed.length === 0) await insertColumnMetadata(query, tableId, column)
}

/**
 * Ends the column's name in the log, as a rename would, although the column keeps the name: the meaning of previously
 * logged values has changed.
 */
export async function noteOtherMeaning(query: Query, tableId: string, { id, name }: ColumnDescription): Promise<void> {
  await query(
    `insert into rowhouse.column_names (table_id, column_id, name, until) values ($1::uuid, $2::uuid, $3::text, nextval('rowhouse.changes_id_seq'))`,
    [tableId, id, name],
  )
}

export async function deleteColumnMetadata(query: Query, tableId: string, name: string): Promise<void> {
  await query('delete from rowhouse.columns where table_id = $1::uuid and name = $2::text', [tableId, name])
}

/** Also deletes the users' views: saving a named view locks the row of the table, so no view is added in between. */
export async function deleteTableMetadata(query: Query, tableId: string): Promise<void> {
  await query('delete from rowhouse.tables where id = $1::uuid', [tableId])
  await query('delete from rowhouse.table_views where table_id = $1::uuid', [tableId])
  await query('delete from rowhouse.named_views where table_id = $1::uuid', [tableId])
}

/** To be called after the real table was renamed. */
export async function renameTableMetadata(query: Query, tableId: string, name: string): Promise<void> {
  await deleteStaleMetadata(query, name)
  await query('update rowhouse.tables set name = $2::text where id = $1::uuid', [tableId, name])
}

/** @param columnId null for the first text column */
export async function updateDisplayColumn(query: Query, tableId: string, columnId: string | null): Promise<void> {
  await query('update rowhouse.tables set display_column_id = $2::uuid where id = $1::uuid', [tableId, columnId])
}

/** The order in which the UI shows names. */
const byName = new Intl.Collator('en', { numeric: true })

const byPlace = (one: Table, other: Table): number =>
  (one.position ?? Number.POSITIVE_INFINITY) - (other.position ?? Number.POSITIVE_INFINITY) || byName.compare(one.name, other.name)

/**
 * Moves the table to a section or within its own, and numbers the tables there, which keep their order.
 * @param position from 0; null for its place by name, after the numbered ones
 */
export async function placeTable(
  query: Query,
  list: readonly Table[],
  table: Table,
  { section = table.section, position }: Pick<TablePatch, 'section' | 'position'>,
): Promise<void> {
  const heading = section?.trim() ?? null
  if (position === undefined && heading === table.section) return
  if (position === undefined || position === null) {
    await query('update rowhouse.tables set section = $2::text, position = null where id = $1::uuid', [table.id, heading])
    return
  }
  const others = list.filter((other) => other.isOwn && other.section === heading && other.id !== table.id)
  const ordered = others.sort(byPlace).toSpliced(position, 0, table)
  await query(
    `update rowhouse.tables t set section = $1::text, position = o.position
     from jsonb_to_recordset($2::jsonb) as o (id uuid, position integer) where t.id = o.id`,
    [heading, JSON.stringify(ordered.map(({ id }, index) => ({ id, position: index })))],
  )
}

export async function updateSearchIndexed(query: Query, tableId: string, isIndexed: boolean): Promise<void> {
  await query('update rowhouse.tables set is_search_indexed = $2::text::boolean where id = $1::uuid', [tableId, String(isIndexed)])
}

/**
 * The name and the description of a virtual column. Its options stay, even if their tables or columns no longer exist.
 */
export async function updateVirtualMetadata(query: Query, id: string, { name, description }: ColumnDescription): Promise<void> {
  await query(
    `update rowhouse.columns set name = $2::text,
       options = (options - 'description') || pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('description', $3::text)) where id = $1::uuid`,
    [id, name, description],
  )
}
