import { equal, operator } from '../../db/search-path'
import { changeConditions, writtenCheck, writtenLinkRule } from '../../records/query/sql/rules'
import { finish, type Statement, startStatement } from '../../records/query/sql/statement'
import { keyValue } from '../../tables/constraints'
import { advanceText } from '../../tables/counter'
import { identifier, literal, qualifiedName } from '../../tables/ddl'
import type { Column, Table } from '../../tables/model'
import type { Assignment, Filled } from './assignment'
import { type FileNotation, plainCell } from './notation-sql'
import { columnList, fallbackText, filledText, filledValue, isTextColumn, sequenceText, staging } from './values'

/** A column of the staging table that does not come from the file: its name, and its SQL. */
export type StagedColumn = { name: string; text: string }

/** Keys that must be known before the record exists, and cells in another notation as PostgreSQL reads them. */
export const stagedColumns = (table: Table, { filled }: Assignment, notation: FileNotation): StagedColumn[] =>
  filled.flatMap(({ column, cell, kept, isPlain = true }) => [
    ...(kept ? [{ name: kept, text: `default (${fallbackText(table, column)})::text` }] : []),
    ...(isPlain ? [] : [plainColumn(column, cell, notation)!]),
  ])

/** Null if the notation does not apply to such a column. */
export function plainColumn(column: Pick<Column, 'type' | 'comparedAs'>, cell: number, notation: FileNotation): StagedColumn | null {
  const plain = plainCell(column, `c${cell}`, notation)
  return plain === null ? null : { name: `v${cell}`, text: `generated always as (${plain}) stored` }
}

/** Exists only within the transaction. `ctid` keeps the order of the file, so no column is needed for it. */
export function createStaging(cells: number, more: readonly StagedColumn[] = []): string {
  const columns = [...cellList(cells).map((name) => `${name} text`), ...more.map(({ name, text }) => `${name} text ${text}`)]
  return `create temp table ${staging.replace('pg_temp.', '')} (${columns.join(', ')}) on commit drop`
}

export const cellList = (cells: number) => Array.from({ length: cells }, (_, cell) => `c${cell}`)

export const copyStaging = (cells: number, delimiter: string): string =>
  `copy ${staging} (${cellList(cells).join(', ')}) from stdin with (format csv, delimiter '${delimiter}', encoding 'UTF8')`

const filledByUs = ({ columns }: Table, types: string[]): Column[] =>
  columns.filter(({ filledBy, type }) => filledBy === 'rowhouse' && types.includes(type as string))

/** Whether the statements below take the actor's id as their parameter. */
export const needsActor = (table: Table): boolean => filledByUs(table, ['createdBy', 'updatedBy']).length > 0

const stored = (filled: Filled[]) => filled.filter(({ column }) => !column.joinTable)

/** A range of the staged records by ctid: those after `after`, up to and including `upTo`. */
export type StagedRange = { after: string; upTo: string; count: number }

/** The ctids come from PostgreSQL, but are checked before they become SQL. */
function rangeCondition(range: StagedRange | undefined): string {
  if (!range) return ''
  const [after, upTo] = [range.after, range.upTo].map((id) => `${literal(/^\(\d+,\d+\)$/.test(id) ? id : '(0,0)')}::tid`)
  return ` where s.ctid ${operator('>')} ${after} and s.ctid ${operator('<=')} ${upTo}`
}

const namesIn = (filled: Filled[]) => filled.map(({ column }) => column.name)

/**
 * @param parameters the id of the actor, if `needsActor`
 * @param source the staging table, or another table with the same columns
 */
export function insertStaged(
  table: Table,
  { filled }: Pick<Assignment, 'filled'>,
  parameters: readonly string[],
  range?: StagedRange,
  source = staging,
): Statement {
  const writer = startStatement()
  writer.parameters.push(...parameters)
  const own = filledByUs(table, ['createdBy', 'updatedBy'])
  const cells = stored(filled)
  const columns = [...cells.map(({ column }) => column), ...own]
  const values = [...cells.map((cell) => filledText(table, cell)), ...own.map(({ sqlType }) => `$1::${sqlType}`)]
  // If the check fails, the statement is undone, so its rows need not be returned.
  const check = writtenCheck(writer, table, namesIn(filled), 'create', 't')
  const text = `insert into ${qualifiedName(table)} as t (${columnList(columns)}) select ${values.join(', ')} from ${source} s${rangeCondition(range)}`
  return finish(writer, check === null ? text : `with w as (${text} returning ${check} as ok) select from w where ok`)
}

/**
 * One statement and thus one snapshot: each record is either found and changed, or inserted. Returns one row:
 * `updated`, `inserted`. A record with an empty key is new if PostgreSQL generates the key.
 */
export function upsertStaged(table: Table, { filled, key }: Assignment, parameters: readonly string[], range?: StagedRange): Statement {
  const writer = startStatement()
  writer.parameters.push(...parameters)
  const cells = stored(filled)
  const values = cells.map((filledCell, index) => {
    const { column, kept, counted } = filledCell
    const isKey = key.some((part) => part.column === column)
    return `${isKey && !kept && !counted ? filledValue(filledCell, table.isOwn) : filledText(table, filledCell)} as v${index}`
  })
  const of = ({ column }: Filled) => `x.v${cells.findIndex((cell) => cell.column === column)}`
  const target = qualifiedName(table)
  const compared = (value: string) => keyValue(table, namesIn(key), value)
  const matches = key
    .map((part) => {
      const stored = compared(`t.${identifier(part.column.name)}`)
      return `${stored} ${operator('=', part.column.operatorSchema)} ${compared(of(part))}`
    })
    .join(' and ')
  const changed = cells.filter(({ column }) => !key.some((part) => part.column === column))
  // With an empty cell, an existing record keeps its key and its numbers; only new records get new ones.
  const keeping = changed.filter((cell) => isCounted(cell) || table.primaryKey.includes(cell.column.name))
  const given = keeping.map((cell, index) => `${filledValue(cell, table.isOwn)} as g${index}`)
  const changedValue = (cell: Filled) =>
    keeping.includes(cell) ? `coalesce(x.g${keeping.indexOf(cell)}, t.${identifier(cell.column.name)})` : of(cell)
  const sets = [
    ...changed.map((cell) => `${identifier(cell.column.name)} = ${changedValue(cell)}`),
    ...filledByUs(table, ['updatedBy']).map(({ name, sqlType }) => `${identifier(name)} = $1::${sqlType}`),
  ]
  const own = filledByUs(table, ['createdBy', 'updatedBy'])
  // PostgreSQL computes generated columns itself and rejects a statement that sets them.
  const sent = cells.filter(({ column }) => column.filledBy !== 'generated')
  const insertedColumns = [...sent.map(({ column }) => column), ...own]
  const inserted = [
    ...sent.map((cell) => {
      const fallback = key.some((part) => part.column === cell.column) ? fallbackText(table, cell.column) : null
      return fallback ? `coalesce(${of(cell)}, ${fallback})` : of(cell)
    }),
    ...own.map(({ sqlType }) => `$1::${sqlType}`),
  ]
  // An exported file can be imported again under its own keys.
  const overriding = key.some(({ column }) => column.filledBy === 'identityAlways') ? 'overriding system value ' : ''
  const changedNames = namesIn([...changed, ...filled.filter(({ column }) => column.joinTable)])
  const allowed = [matches, ...changeConditions(writer, table, changedNames, 't')].join(' and ')
  const updatedCheck = writtenCheck(writer, table, changedNames, 'update', 't') ?? 'true'
  const insertedCheck = writtenCheck(writer, table, namesIn(filled), 'create', 't') ?? 'true'
  const found = sets.length
    ? `update ${target} t set ${sets.join(', ')} from x where ${allowed} returning ${updatedCheck} as ok`
    : `select true as ok from ${target} t, x where ${allowed}`
  const text = `with x as materialized (select ${[...values, ...given].join(', ')} from ${staging} s${rangeCondition(range)}), u as (${found}),
    i as (insert into ${target} as t ${insertedColumns.length ? `(${columnList(insertedColumns)})` : ''}
      ${overriding}select ${inserted.join(', ')} from x where not exists (select from ${target} t where ${matches}) returning ${insertedCheck} as ok)
    select (select pg_catalog.count(ok) from u)::int as updated, (select pg_catalog.count(ok) from i)::int as inserted`
  return finish(writer, text)
}

/** Returns one row if two records of the file have the same key. */
export function repeatedKey(table: Table, key: Filled[]): string {
  const parts = key.map((part) => filledValue(part, table.isOwn))
  const isWhole = parts.map((part) => `${part} is not null`).join(' and ')
  return `select from ${staging} s where ${isWhole} group by ${parts.map((part) => keyValue(table, namesIn(key), part)).join(', ')} having count(*) ${operator('>')} 1 limit 1`
}

/** Returns one row: how many records lack a part of their key. Each of them is a new record. */
export function countWithoutKey(table: Table, key: Filled[]): string {
  const isEmpty = key.map((part) => `${filledValue(part, table.isOwn)} is null`)
  return `select pg_catalog.count(*)::int as "withoutKey" from ${staging} s where ${isEmpty.join(' or ')}`
}

const isCounted = ({ column: { filledBy, defaultExpression } }: Filled): boolean =>
  /^identity/.test(filledBy) || /^nextval\(/.test(defaultExpression ?? '')

/** A text column may hold keys other than numbers. */
const countedCells = ({ filled }: Assignment): Filled[] => filled.filter((cell) => isCounted(cell) && !isTextColumn(cell.column))

const largestText = (table: Table, name: string) => `(select pg_catalog.max(${identifier(name)})::bigint from ${qualifiedName(table)})`

/** Returns a row if a record has the last number that a counter can give: `counterAtEnd` is the column. */
export function exhaustedCounter(table: Table, assignment: Assignment): string | null {
  const texts = countedCells(assignment).map(
    ({
      column,
    }) => `select ${literal(column.name)} as "counterAtEnd" from pg_sequence q where q.seqrelid ${equal} ${sequenceText(table, column)}
    and ${largestText(table, column.name)} ${operator('>=')} q.seqmax`,
  )
  return texts.length ? texts.join(' union all ') : null
}

/** Moves the counters beyond the numbers in the file, so that the next record gets free ones. */
export function advanceCounters(table: Table, assignment: Assignment): string | null {
  const rows = countedCells(assignment).map(
    ({ column }) => `select ${sequenceText(table, column)} as counter, ${largestText(table, column.name)} as most`,
  )
  return rows.length ? advanceText(rows.join(' union all ')) : null
}

/**
 * Writes links to many after the records. The links of a record are replaced as a whole. An empty cell changes nothing
 * in an insert, and removes all links in an upsert.
 */
export function linkStaged(table: Table, { filled, key }: Assignment, range?: StagedRange): string[] {
  if (!filled.some(({ column }) => column.joinTable)) return []
  const keys = table.primaryKey.map((name) => filledText(table, filled.find(({ column }) => column.name === name)!))
  return filled.flatMap((link) => {
    const { column } = link
    if (!column.joinTable) return []
    const { ownColumns, targetColumns } = column.joinTable
    const join = qualifiedName(column.joinTable)
    const isOwn = ownColumns.map((name, index) => `j.${identifier(name)} ${equal} x.k${index}`).join(' and ')
    const own = keys.map((value, index) => `${value} as k${index}`).join(', ')
    const list = [...ownColumns, ...targetColumns].map(identifier).join(', ')
    const clear = `delete from ${join} j using (select ${own} from ${staging} s${rangeCondition(range)}) x where ${isOwn}`
    const insert = `insert into ${join} (${list}) select distinct ${keys.join(', ')}, v from ${staging} s,
      pg_catalog.unnest(${filledValue(link, table.isOwn)}) v${rangeCondition(range)}`
    return key.length ? [clear, insert] : [insert]
  })
}

/**
 * Returns one row if the caller may not write one of the records with the links that it has now; null if no rule reads
 * links. In an upsert, a record with a key may or may not be new, so it must meet both rules.
 */
export function deniedStaged(table: Table, { filled, key }: Assignment, range?: StagedRange): Statement | null {
  if (!filled.some(({ column }) => column.joinTable)) return null
  const writer = startStatement()
  const changed = filled.filter(({ column }) => !key.some((part) => part.column === column))
  const create = writtenLinkRule(writer, table, namesIn(filled), 'create', 't')
  const update = key.length ? writtenLinkRule(writer, table, namesIn(changed), 'update', 't') : null
  const isNew = key.map((part) => `${filledValue(part, table.isOwn)} is null`).join(' or ')
  const rules = [...(create === null ? [] : [create]), ...(update === null ? [] : [`${isNew} or ${update}`])]
  if (rules.length === 0) return null
  const own = table.primaryKey.map((name) => {
    const part = filled.find(({ column }) => column.name === name)!
    const { operatorSchema, sqlType } = part.column
    return `t.${identifier(name)} ${operator('=', operatorSchema)} (${filledText(table, part)})::${sqlType}`
  })
  const within = rangeCondition(range) || ' where true'
  const denied = rules.map((rule) => `(${rule}) is not true`).join(' or ')
  const text = `select true as denied from ${staging} s join ${qualifiedName(table)} t on ${own.join(' and ')}${within} and (${denied}) limit 1`
  return finish(writer, text)
}
