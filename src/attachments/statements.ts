import { arrayLiteral } from '../db/arrays'
import { concat, equal, operator, textAt } from '../db/search-path'
import { columnText, keyTexts } from '../records/query/sql/fields'
import { logItems, presentOrigin } from '../records/query/sql/log'
import { changeConditions, ofFoundRows, readCondition, visibleValue } from '../records/query/sql/rules'
import { bind, finish, type Statement, type StatementWriter, startStatement } from '../records/query/sql/statement'
import { identifier, literal, qualifiedName } from '../tables/ddl'
import type { Column, Table } from '../tables/model'
import { comparedType } from '../tables/sql-types'
import type { Cell, NewFile } from './model'

const t = 't'

const columnOf = (table: Table, name: string): Column => table.columns.find((column) => column.name === name)!

const isEqual = (table: Table, name: string): string => operator('=', columnOf(table, name).operatorSchema)

/** The record, if the caller may change it. */
const isChanged = (writer: StatementWriter, cell: Cell): string =>
  [isRecord(writer, cell), ...changeConditions(writer, cell.table, [cell.column.name], t)].join(' and ')

const isRecord = (writer: StatementWriter, { table, key }: Cell): string =>
  table.primaryKey
    .map(
      (name, index) =>
        `${columnText(t, name)} ${isEqual(table, name)} ${writer.parameter(key[index] ?? null, comparedType(columnOf(table, name).comparedAs))}`,
    )
    .join(' and ')

/** The cell's list; empty if someone has written a value other than a list into it by hand. */
const filesIn = ({ column }: Cell): string =>
  `case pg_catalog.jsonb_typeof(${columnText(t, column.name)}) when 'array' then ${columnText(t, column.name)} else '[]' end`

/** Represents the service itself where a user id is required (RFC 9562 section 5.9). */
const nobody = '00000000-0000-0000-0000-000000000000'

/** Sets who changed the record last, as every other write does. */
const updatedBy = (writer: StatementWriter, { table }: Cell, userId: string | null): string =>
  table.columns
    .filter(({ type, filledBy }) => type === 'updatedBy' && filledBy === 'rowhouse')
    .map(({ name, sqlType }) => `, ${identifier(name)} = ${writer.parameter(userId, sqlType)}`)
    .join('')

const logged = (writer: StatementWriter, { table }: Cell): string =>
  logItems(writer, table)
    .map((item) => `\n      from ${item}`)
    .join('')

/**
 * One row `{ count, isOpen }`: how many files the cell holds, and whether the caller may change it; no row without a
 * record.
 */
export function countFilesStatement(cell: Cell): Statement {
  const writer = startStatement()
  const where = [isRecord(writer, cell), ...readCondition(writer, cell.table, t)].join(' and ')
  const isOpen = changeConditions(writer, cell.table, [cell.column.name], t).join(' and ') || 'true'
  return finish(
    writer,
    `select pg_catalog.jsonb_array_length(${filesIn(cell)}) as count, (${isOpen}) is true as "isOpen" from ${qualifiedName(cell.table)} ${t} where ${where}`,
  )
}

export type Attachment = {
  files: readonly NewFile[]
  mostFiles: number
  isReplacing: boolean
  userId: string | null
  storageId: string | null
}

/**
 * Changes the cell, the rows of the files and their loose rows together or not at all. Returns a row `{ place }`, the
 * beginning of the files' URLs; no row if the record is gone, the cell is full, the upload took so long that its bytes
 * were swept, or the database now uses another storage. The storage's row is locked until the files are in the cell.
 */
export function attachStatement(cell: Cell, { files, mostFiles, isReplacing, userId, storageId }: Attachment): Statement {
  const writer = startStatement()
  const list = writer.parameter(JSON.stringify(files.map(cellEntry)), 'jsonb')
  const rows = writer.parameter(JSON.stringify(files), 'jsonb')
  const ids = writer.parameter(arrayLiteral(files.map(({ id }) => id)), 'uuid[]')
  const before = isReplacing ? `'[]'::jsonb` : filesIn(cell)
  const [tableId, columnId] = [writer.parameter(cell.table.id, 'uuid'), writer.parameter(cell.column.id, 'uuid')]
  const isRoom = `pg_catalog.jsonb_array_length(${before}) ${operator('<=')} ${writer.parameter(String(mostFiles - files.length), 'int')}`
  const text = `with loose as (select id from rowhouse.loose_files where id ${equal} any(${ids}) for update),
    storage as (select from rowhouse.storage where id ${equal} ${writer.parameter(storageId, 'uuid')} for share),
    changed as (update ${qualifiedName(cell.table)} as ${t}
      set ${identifier(cell.column.name)} = ${before} ${concat} ${list}${updatedBy(writer, cell, userId)}${logged(writer, cell)}
      where ${isChanged(writer, cell)} and ${isRoom} and (select count(*) from loose) ${equal} pg_catalog.cardinality(${ids})
        and exists (select from storage)
      returning rowhouse.attachment_place(${tableId}::text, array[${keyTexts(t, cell.table).join(', ')}], ${columnId}::text) as place),
    added as (insert into rowhouse.files (id, table_id, column_id, name, size, type, sha256, width, height, created_by)
      select f.id, ${tableId}, ${columnId}, f.name, f.size, f.type, f.sha256, f.width, f.height, ${writer.parameter(userId ?? nobody, 'uuid')}
      from pg_catalog.jsonb_to_recordset(${rows}) as f (id uuid, name text, size bigint, type text, sha256 text, width int, height int), changed),
    taken as (delete from rowhouse.loose_files where id ${equal} any(${ids}) and exists (select from changed))
    select place from changed`
  return bind(finish(writer, text), { origin: presentOrigin() })
}

/** The cell's content: enough for someone who reads the database directly, and nothing that could become outdated. */
const cellEntry = ({ id, name, size, type, width, height }: NewFile) => ({
  id,
  name,
  size,
  type,
  ...(width === null || height === null ? {} : { width, height }),
})

/**
 * The files of one column for which all five parts of the URL match (SEC-51), as `FileRow` with `place`, which counts
 * from 1. Its first parameters are an array for each part of the key, then one of the files' ids.
 */
export function findManyStatement(table: Table, column: Column): Statement {
  const writer = startStatement()
  const types = [...table.primaryKey.map((name) => comparedType(columnOf(table, name).comparedAs)), 'uuid']
  const arrays = types.map((type) => `pg_catalog.unnest(${writer.parameter(null, `${type}[]`)})`).join(', ')
  const isRecord = table.primaryKey.map((name, index) => `${columnText(t, name)} ${isEqual(table, name)} a.k${index}`).join(' and ')
  const held = visibleValue(writer, t, column, columnText(t, column.name))
  const isSeen = [`${held} ${operator('@>')} pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('id', a.file))`]
  const where = [...isSeen, ...ofFoundRows(readCondition(writer, table, t))].join(' and ')
  const text = `select a.place::int as place, f.id, f.name, f.size::text as size, f.type, f.sha256
    from rows from (${arrays}) with ordinality as a (${table.primaryKey.map((_, index) => `k${index}, `).join('')}file, place)
    join ${qualifiedName(table)} ${t} on ${isRecord}
    join rowhouse.files f on f.id ${equal} a.file and f.table_id ${equal} ${literal(table.id)} and f.column_id ${equal} ${literal(column.id)}
    where ${where}`
  return finish(writer, text)
}

/** Returns one row if the cell held the file and no longer does. */
export function detachStatement(cell: Cell, fileId: string, userId: string): Statement {
  const writer = startStatement()
  const column = columnText(t, cell.column.name)
  const text = `with changed as (update ${qualifiedName(cell.table)} as ${t} set ${identifier(cell.column.name)} = (
        select coalesce(pg_catalog.jsonb_agg(e.file order by e.place), '[]') from pg_catalog.jsonb_array_elements(${column}) with ordinality as e (file, place)
        where (e.file ${textAt} 'id' ${equal} ${writer.parameter(fileId, 'text')}) is not true)${updatedBy(writer, cell, userId)}${logged(writer, cell)}
      where ${isChanged(writer, cell)} and ${column} ${operator('@>')} ${writer.parameter(JSON.stringify([{ id: fileId }]), 'jsonb')} returning 1 as done),
    removed as (update rowhouse.files set removed_at = now() where id ${equal} ${writer.parameter(fileId, 'uuid')}
      and table_id ${equal} ${writer.parameter(cell.table.id, 'uuid')} and column_id ${equal} ${writer.parameter(cell.column.id, 'uuid')}
      and exists (select from changed))
    select done from changed`
  return bind(finish(writer, text), { origin: presentOrigin() })
}
