import { fileRefused, invalidRequest, type LineProblem } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { requireWritableColumn } from '../../records/store/rights'
import type { Column, Table } from '../../tables/model'
import { nearest } from '../../tables/nearest'
import { createColumnFinder, foldName } from '../column-names'
import { withoutNameApostrophe } from '../formulas'
import type { Assignment, Filled } from './assignment'
import { plainCell } from './notation-sql'
import type { ImportOptions } from './options'
import { cellName } from './values'

/** Finding the nearest name takes time for each of the table's columns. */
const maxSuggestions = 5

/**
 * Assigns cells to columns: by `mapping`, else by the name in the header, as `createColumnFinder` finds it.
 * @throws Failure validation_failed for names without a column; invalid_request for a wrong `on`
 */
export function assignColumns(table: Table, names: readonly string[], line: number, options: ImportOptions): Assignment {
  if (options.columns && options.columns.length !== names.length) {
    throw fileRefused([
      {
        line,
        column: null,
        message: translatable('has {count} cells, and "columns" names {named}', { count: names.length, named: options.columns.length }),
      },
    ])
  }
  const find = createColumnFinder(knownColumns(table))
  const areNamesEscaped = options.formulas === 'escape' && !options.columns
  const problems: LineProblem[] = []
  const filled: Filled[] = []
  const ignored: string[] = []
  const unnamed: number[] = []
  for (const [cell, name] of (options.columns ?? names).entries()) {
    const wanted = options.mapping.get(name) ?? (areNamesEscaped ? withoutNameApostrophe(name) : name)
    if (wanted === '') {
      if (name === '' && !options.columns) unnamed.push(cell)
      continue
    }
    const column = find(wanted)
    if (!column) {
      if (options.isUnknownIgnored) ignored.push(name)
      else problems.push({ line, column: displayColumn(wanted), message: unknownColumn(wanted, table, problems.length) })
    } else if (filled.some((other) => other.column === column))
      problems.push({ line, column: column.name, message: translatable('appears in the header twice') })
    else if (isOthers(column) && !isKey(table, column, options)) ignored.push(column.name)
    else filled.push({ column, cell, isPlain: plainCell(column, cellName(cell), options) === null })
  }
  const key = options.mode === 'upsert' ? keyOf(table, { filled, ignored }, options, line) : []
  if (options.mode === 'insert') problems.push(...missingColumns(table, filled, line))
  if (problems.length) throw fileRefused(problems.slice(0, 100), problems.length)
  if (filled.length === 0) throw fileRefused([{ line, column: null, message: translatable('the header has no column of the table') }])
  const linked = filled.some(({ column }) => column.joinTable) ? withKeys(table, filled, options, line) : filled
  return { filled: linked, ignored, unnamed, key: key.map(({ column }) => linked.find((other) => other.column === column)!) }
}

/**
 * Links are rows of a join table that refer to the record's primary key. So the key of every record must be known in
 * advance.
 */
function withKeys(table: Table, filled: Filled[], { mode, on }: ImportOptions, line: number): Filled[] {
  if (mode === 'upsert' && on && !(on.length === table.primaryKey.length && on.every((name) => table.primaryKey.includes(name)))) {
    throw invalidRequest(
      translatable('A file with links to many records needs the primary key to find the records of an upsert.'),
      translatable('Leave "on" out.'),
    )
  }
  const keys = table.primaryKey.map((name, index): Filled => {
    const found = filled.find(({ column }) => column.name === name)
    const column = table.columns.find((candidate) => candidate.name === name)!
    const isFilledAnyway = column.filledBy === 'identity' || column.defaultExpression !== null
    if (!found && !isFilledAnyway) throw fileRefused([{ line, column: name, message: translatable('is required and not in the file') }])
    return { column, cell: found?.cell ?? -1, isPlain: found?.isPlain, ...(isFilledAnyway ? { kept: `k${index}` } : {}) }
  })
  return [...filled.filter(({ column }) => !table.primaryKey.includes(column.name)), ...keys]
}

const displayColumn = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name)

/**
 * Whether only Rowhouse or PostgreSQL writes the column, or its values come from other records. An exported file
 * contains such columns, so they are skipped and named in the response.
 */
const isOthers = ({ type, filledBy, isWritable, joinTable }: Column) =>
  type === 'reverseLinks' ||
  (joinTable?.linkable ?? 'all') !== 'all' ||
  filledBy === 'rowhouse' ||
  filledBy === 'generated' ||
  filledBy === 'identityAlways' ||
  !isWritable

/** A generated key can still identify the records of an upsert. */
const isKey = ({ primaryKey }: Table, { name, isWritable }: Column, { mode, on }: ImportOptions) =>
  isWritable && mode === 'upsert' && (on ?? primaryKey).includes(name)

/** A hidden column does not exist for the caller. */
const knownColumns = ({ columns }: Table) => columns.filter(({ access }) => !access?.isHidden)

function unknownColumn(name: string, table: Table, found: number): Message {
  const alike = knownColumns(table).filter((column) => foldName(column.name) === foldName(name))
  if (alike.length > 1) return translatable('could be each of several columns of this table, whose names look alike')
  const similar =
    found < maxSuggestions
      ? nearest(
          name,
          knownColumns(table).map((column) => column.name),
        )
      : undefined
  return similar === undefined
    ? translatable('is not a column of this table')
    : translatable('is not a column of this table; did you mean "{similar}"?', { similar })
}

const missingColumns = (table: Table, filled: Filled[], line: number): LineProblem[] =>
  knownColumns(table)
    .filter(
      (column) => column.required && column.filledBy === 'caller' && !column.joinTable && !filled.some((other) => other.column === column),
    )
    .map(({ name }) => ({ line, column: name, message: translatable('is required and not in the file') }))

function keyOf(table: Table, { filled, ignored }: Pick<Assignment, 'filled' | 'ignored'>, { on }: ImportOptions, line: number): Filled[] {
  const names = on ?? table.primaryKey
  if (names.length === 0)
    throw invalidRequest(
      translatable('"{name}" has no primary key.', { name: table.name }),
      translatable('Name a unique column with "on".'),
    )
  const isUnique = table.uniqueKeys.some((key) => key.length === names.length && key.every((name) => names.includes(name)))
  if (!isUnique) throw invalidRequest(translatable('The columns of "on" are not a unique key of "{name}".', { name: table.name }))
  return names.map((name) => {
    const found = filled.find(({ column }) => column.name === name)
    const skipped = table.columns.find((column) => column.name === name && ignored.includes(name))
    if (skipped) requireWritableColumn(table, skipped, '')
    if (!found)
      throw fileRefused([
        { line, column: name, message: translatable('is needed to find the records of an upsert, and is not in the file') },
      ])
    return found
  })
}
