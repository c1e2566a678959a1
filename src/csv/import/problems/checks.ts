import { type Message, translatable } from '../../../messages/message'
import type { Tables } from '../../../tables/catalog/catalog'
import { columnOfConstraint, keyValue } from '../../../tables/constraints'
import { identifier, literal, qualifiedName } from '../../../tables/ddl'
import type { CallerValues, Column, ForeignKey, Table } from '../../../tables/model'
import { conditionAt } from '../../../tables/row-rules'
import type { Assignment, Filled } from '../assignment'
import { linkFaults } from '../keys/links'
import type { FileNotation } from '../notation-sql'
import {
  cellName,
  fallbackText,
  filledText,
  filledValue,
  invalidCell,
  invalidText,
  isPadded,
  isTextColumn,
  staging,
  takesEmpty,
  valueName,
} from '../values'
import { maxCellLength, withCell } from './cell-message'
import { expectation } from './expectation'

/**
 * A search for staged records that the table would refuse. A row of `text` has `id` (the record's ctid), `cell` (its
 * text) and `other` (the ctid of another record). The member `cell` is the index of the cell; it is undefined if an
 * empty cell would not fix the record.
 */
export type Check = {
  text: string
  column: string | null
  cell?: number
  /** The caller whose values the text needs, if it contains access rules. */
  caller?: CallerValues | undefined
  message: (cell: string | null, otherLine: number | null) => Message
}

const search = (condition: string, cell: string, from = `${staging} s`, id = 's.ctid', other = 'null::tid') =>
  `select ${id} as id, left(${cell}, ${maxCellLength + 1}) as cell, ${other} as other from ${from} where ${condition}`

/** An empty cell is accepted when the column is optional, or when the database fills it. */
const canBeEmpty = (table: Table, { column, cell }: Filled): boolean =>
  cell >= 0 && !(column.required && !fallbackText(table, column)) && !table.primaryKey.includes(column.name)

const emptyCell = (table: Table, filled: Filled | undefined): Pick<Check, 'cell'> =>
  filled && canBeEmpty(table, filled) ? { cell: filled.cell } : {}

/** Checks each cell separately: whether it can be read as a value of its column, and is not empty if required. */
export function cellChecks(table: Table, { filled }: Assignment, notation: FileNotation): Check[] {
  return filled.flatMap((part) => {
    const { column, cell } = part
    const name = cellName(cell)
    const checks = readChecks(table, part, notation)
    if (column.required && !fallbackText(table, column)) {
      const empty = takesEmpty(column) ? `${name} is null` : `coalesce(${name}, '') = ''`
      checks.push({ text: search(empty, 'null::text'), column: column.name, message: () => translatable('is required') })
    }
    return checks
  })
}

/** Cells that cannot be read as a value of their column. */
function readChecks(table: Table, part: Filled, notation: FileNotation): Check[] {
  const { column, cell, links } = part
  const check = (text: string, message: Message): Check => ({
    text,
    column: column.name,
    ...emptyCell(table, part),
    message: (found) => withCell(message, found),
  })
  if (links) return linkFaults(part).map(({ text, message }) => check(text, message))
  const invalid = invalidText(column, valueName(part), table.isOwn)
  return invalid ? [check(search(invalid, cellName(cell)), expectation(column, notation))] : []
}

/** The table of values for the checks below. A cell that cannot be read has none, and `unreadable` lists its column. */
const typedTable = 'pg_temp."rowhouse values"'
const rowId = 'rowhouse record'
const unreadable = 'rowhouse unreadable'

export const dropTyped = `drop table if exists ${typedTable}`

/**
 * Columns that the file does not fill get the values that PostgreSQL would give them; generated columns are skipped
 * unless they are the key of the upsert.
 */
export function createTyped(table: Table, { filled }: Assignment): string {
  const cells = filled.filter(({ column }) => !column.joinTable)
  const faults = new Map(
    cells.flatMap((part, index) => {
      const invalid = invalidCell(part, table.isOwn)
      return invalid ? [[part.column, { name: `f${index}`, invalid }] as const] : []
    }),
  )
  const values = table.columns
    .filter((column) => !column.joinTable && (column.filledBy !== 'generated' || cells.some((cell) => cell.column === column)))
    .map((column) => {
      const [value, fault] = [valueIn(table, column, cells), faults.get(column)]
      return `${fault ? `case when not f.${fault.name} then ${value} end` : value} as ${identifier(column.name)}`
    })
  const tests = [...faults.values()].map(({ name, invalid }) => `(${invalid}) is true as ${name}`)
  const names = [...faults].map(([column, { name }]) => `case when f.${name} then ${literal(column.name)} end`)
  // Without the offset, PostgreSQL would repeat each test wherever its result is used.
  const from = tests.length ? `${staging} s cross join lateral (select ${tests.join(', ')} offset 0) f` : `${staging} s`
  return `create temp table ${typedTable.replace('pg_temp.', '')} on commit drop as select s.ctid as ${identifier(rowId)},
      array[${names.join(', ')}]::text[] as ${identifier(unreadable)}, ${values.join(', ')} from ${from}`
}

const isCountedColumn = ({ filledBy, defaultExpression }: Column) =>
  /^identity/.test(filledBy) || /\bnextval\(/.test(defaultExpression ?? '')

function valueIn(table: Table, column: Column, cells: Filled[]): string {
  const found = cells.find((cell) => cell.column === column)
  // A check must not advance a counter.
  if (!found) return `${isCountedColumn(column) ? 'null' : (column.defaultExpression ?? 'null')}::${column.sqlType}`
  const value = column.filledBy === 'identity' ? filledValue(found, table.isOwn) : filledText(table, found)
  return isTextColumn(column) ? `(${value})::${isPadded(column) ? 'bpchar' : 'text'}` : value
}

const id = `x.${identifier(rowId)}`
const key = (columns: readonly string[]) => columns.map((name) => `x.${identifier(name)}`)
const allPresent = (columns: readonly string[]) => key(columns).map((name) => `${name} is not null`)
const joined = (columns: readonly string[], others: readonly string[], compared = (value: string) => value) =>
  columns.map((name, index) => `${compared(`t.${identifier(others[index]!)}`)} = ${compared(`x.${identifier(name)}`)}`).join(' and ')
/** Whether the record `t` of the table has the key of the staged one. */
const sameKey = (table: Table, columns: readonly string[]) => joined(columns, columns, (value) => keyValue(table, columns, value))
const cellOf = (columns: readonly string[]) =>
  `concat_ws(', ', ${key(columns)
    .map((name) => `${name}::text`)
    .join(', ')})`
const columnLabel = (columns: readonly string[]) => (columns.length === 1 ? columns[0]! : null)
const isHidden = (table: Table, name: string) => table.columns.some((column) => column.name === name && column.access?.isHidden)
const withColumns = (columns: readonly string[], message: Message): Message =>
  columns.length === 1 ? message : translatable('{columns} together {message}', { columns: `"${columns.join('", "')}"`, message })

/** The cell of a problem that is about one column only. */
const onlyFilled = ({ filled }: Assignment, names: readonly string[]) =>
  names.length === 1 ? filled.find(({ column }) => column.name === names[0]) : undefined

/** Checks the records against each other and against the table: unique values and links. */
export function valueChecks(table: Table, assignment: Assignment, tables: Tables | undefined): Check[] {
  const isFilled = (name: string) => assignment.filled.some(({ column }) => column.name === name)
  const uniques = table.uniqueKeys.filter((columns) => columns.every(isFilled))
  const links = table.foreignKeys.filter(({ columns }) => columns.some(isFilled))
  const linked = links.map((link) => ({ ...linkCheck(table, link), ...emptyCell(table, onlyFilled(assignment, link.columns)) }))
  return [...uniques.flatMap((columns) => uniqueChecks(table, columns, assignment)), ...linked, ...listChecks(table, assignment, tables)]
}

function uniqueChecks(table: Table, columns: string[], { key: upsertKey }: Assignment): Check[] {
  const names = upsertKey.map(({ column }) => column.name)
  const isKey = names.length > 0 && names.every((name) => columns.includes(name)) && names.length === columns.length
  const partition = key(columns)
    .map((value) => keyValue(table, columns, value))
    .join(', ')
  const ranked = `(select x.*, first_value(${id}) over (partition by ${partition} order by ${id}) as "rowhouse first"
    from ${typedTable} x where ${allPresent(columns).join(' and ')}) x`
  const repeated: Check = {
    text: search(`x."rowhouse first" <> ${id}`, cellOf(columns), ranked, id, 'x."rowhouse first"'),
    column: columnLabel(columns),
    message: (cell, line) =>
      withCell(withColumns(columns, translatable('must be unique, and is already in line {line}', { line: line ?? '?' })), cell),
  }
  // The record that an upsert changes may keep its own value.
  const isOther = names.length ? ` and not (${sameKey(table, names)})` : ''
  const taken: Check = {
    text: search(
      `${allPresent(columns).join(' and ')} and exists (select from ${qualifiedName(table)} t where ${sameKey(table, columns)}${isOther})`,
      cellOf(columns),
      `${typedTable} x`,
      id,
    ),
    column: columnLabel(columns),
    message: (cell) => withCell(withColumns(columns, translatable('must be unique, and another record has it')), cell),
  }
  return isKey ? [repeated] : [repeated, taken]
}

/** A record that the caller may not read counts as missing: otherwise a file could reveal which records exist. */
function linkCheck(table: Table, { columns, target, targetColumns }: ForeignKey): Check {
  const isSelf = target.schema === table.schema && target.name === table.name
  const among = (from: string) => `not exists (select from ${from} t where ${joined(columns, targetColumns)})`
  const readable = table.columns.flatMap(({ name, access }) => (columns.includes(name) ? (access?.linksTo ?? []) : []))
  const isMissing = readable.length
    ? `(${readable.map((condition) => conditionAt(condition, 'x')).join(' and ')}) is not true`
    : among(qualifiedName(target))
  return {
    text: search(
      [...allPresent(columns), isMissing, ...(isSelf ? [among(typedTable)] : [])].join(' and '),
      cellOf(columns),
      `${typedTable} x`,
      id,
    ),
    column: columnLabel(columns),
    caller: readable[0]?.caller,
    message: (cell) =>
      withCell(
        withColumns(
          columns,
          readable.length ? translatable('points to no record') : translatable('points to no record of "{name}"', { name: target.name }),
        ),
        cell,
      ),
  }
}

/**
 * Links to many are not stored in the table, so each cell is checked separately. A file may link to its own records.
 */
function listChecks(table: Table, { filled }: Assignment, tables: Tables | undefined): Check[] {
  return filled.flatMap((part) => {
    const { column, cell } = part
    const target = column.joinTable && tables?.byId.get(column.joinTable.targetTableId)
    const [targetKey] = target?.primaryKey ?? []
    if (!target || targetKey === undefined) return []
    const among = (from: string) => `not exists (select from ${from} t where t.${identifier(targetKey)} = v.key)`
    const isMissing = [among(qualifiedName(target)), ...(target.id === table.id ? [among(typedTable)] : [])].join(' and ')
    const [invalid, value] = [invalidCell(part, table.isOwn), filledValue(part, table.isOwn)]
    const list = invalid === null ? value : `case when (${invalid}) is not true then ${value} end`
    return [
      {
        text: search(`exists (select from unnest(${list}) v (key) where ${isMissing})`, cellName(cell)),
        column: column.name,
        ...emptyCell(table, part),
        message: (sent) => withCell(translatable('points to no record of "{name}"', { name: target.name }), sent),
      },
    ]
  })
}

/** A check constraint: its name, its condition, and the names of its columns as a JSON array. */
export type RuleRow = { name: string; rule: string; columns: string }

/** Reads every check constraint of the table: PostgreSQL itself reports only the first violation. */
export const tableRules = ({ schema, name }: Table): string =>
  `select c.conname as name, pg_get_expr(c.conbin, c.conrelid) as rule,
      coalesce((select json_agg(a.attname) from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any(c.conkey)), '[]')::text as columns
    from pg_constraint c where c.contype = 'c' and c.conrelid = to_regclass(${literal(qualifiedName({ schema, name }))})`

export function ruleCheck(table: Table, assignment: Assignment, { name, rule, columns }: RuleRow): Check {
  const names: string[] = JSON.parse(columns)
  const isOfHidden = names.some((column) => isHidden(table, column))
  const found = isOfHidden ? undefined : onlyFilled(assignment, names)
  // The cell as written in the file: PostgreSQL writes lists in a different form.
  const cell = found ? `(select ${cellName(found.cell)} from ${staging} s where s.ctid = ${id})` : 'null::text'
  const known = isOfHidden ? undefined : columnOfConstraint(table, name)
  const isReadable = `not (x.${identifier(unreadable)} && array[${names.map(literal).join(', ')}]::text[])`
  return {
    text: search(`${isReadable} and not (${rule})`, cell, `${typedTable} x`, id),
    column: known?.name ?? (isOfHidden ? null : columnLabel(names)),
    ...emptyCell(table, found),
    message: (sent) => withCell(known?.message ?? translatable('does not fit a rule of this table'), sent),
  }
}

/** A column whose type limits the length of its text, in characters. */
export type LengthRow = { name: string; length: number }

/** PostgreSQL's error does not name the column for which a text is too long. */
export const textLengths = ({ schema, name }: Table): string =>
  `select attname as name, atttypmod - 4 as length from pg_attribute where attrelid = to_regclass(${literal(qualifiedName({ schema, name }))})
      and atttypid in ('varchar'::regtype, 'bpchar'::regtype) and atttypmod > 4 and attnum > 0 and not attisdropped`

/** PostgreSQL cuts off blanks beyond the length without an error. */
export function lengthChecks(table: Table, { filled }: Assignment, lengths: readonly LengthRow[]): Check[] {
  return lengths.flatMap(({ name, length }) => {
    const found = filled.find(({ column }) => column.name === name)
    if (!found) return []
    const text = search(`pg_catalog.char_length(pg_catalog.rtrim(${valueName(found)}, ' ')) > ${length}`, cellName(found.cell))
    return [
      {
        text,
        column: name,
        ...emptyCell(table, found),
        message: (sent) => withCell(translatable('must have at most {length} characters', { length }), sent),
      },
    ]
  })
}

/** The lines at which records of the staged file begin, counted in the copied text. @param condition on `r` */
export function lineOf(cells: number, hasBreaks: boolean, source: string, condition: string): string {
  const breaks = hasBreaks
    ? Array.from({ length: cells }, (_, cell) => ` + coalesce(regexp_count(${cellName(cell)}, '\\r\\n|\\r|\\n'), 0)`).join('')
    : ''
  return `select r.id::text as id, r.line::int as line from (
      select s.ctid as id, 1 + coalesce(sum(1${breaks}) over (order by s.ctid rows between unbounded preceding and 1 preceding), 0) as line
      from ${source} s) r where ${condition}`
}
