import type { Action } from '../../../../access/model'
import type { TableView } from '../../../../tables/model'
import { cellKind } from '../../records/values/cell-kinds'
import type { ColumnInfo } from '../../records/values/column'
import { allTables, isLineFor, type Line, newLine } from './lines'

export const wholeRights = { read: 'all', create: 'all', update: 'all', delete: 'all' } as const

/**
 * Gives a group these rights to a table. The rights in the lines of a group add up, so a second line could not restrict
 * the first one. A single line therefore replaces the existing ones, with the columns that all of them have.
 */
export function withRights(lines: readonly Line[], cell: Pick<Line, 'group' | 'table'>, rights: Record<Action, string>): Line[] {
  const own = lines.filter(isLineFor(cell.group, cell.table))
  const first = own[0]
  if (!first) return [...lines, newLine({ ...cell, ...rights })]
  const columns = own.map((line) => line.columns).reduce(inBoth)
  const { columns: _, ...rest } = first
  const made: Line = { ...rest, ...rights, ...(columns ? { columns } : {}), problems: {} }
  return lines.flatMap((line) => (line === first ? [made] : own.includes(line) ? [] : [line]))
}

/** The columns in both lists. A missing list means all columns. */
function inBoth(one: Line['columns'] = {}, other: Line['columns'] = {}): Line['columns'] {
  const both = (names: string[] | undefined, others: string[] | undefined) =>
    names && others ? names.filter((name) => others.includes(name)) : (names ?? others)
  const [read, write] = [both(one.read, other.read), both(one.write, other.write)]
  return read || write ? { ...(read ? { read } : {}), ...(write ? { write } : {}) } : undefined
}

/** Hides columns of a table from a group. Its other rights do not change. */
export function withoutColumns(
  lines: readonly Line[],
  { group, table }: { group: string; table: TableView },
  hidden: readonly string[],
): Line[] {
  const isOfCell = isLineFor(group, table.id)
  const all = table.columns.map(({ name }) => name)
  const writable = table.columns.flatMap(({ name, readOnly }) => (readOnly ? [] : [name]))
  const isLeft = (name: string) => !hidden.includes(name)
  const narrowed = ({ read = all, write = writable }: NonNullable<Line['columns']>) => ({
    columns: { read: read.filter(isLeft), write: write.filter(isLeft) },
  })
  const columns = hidden.length > 0 ? narrowed({}) : {}
  if (!lines.some(isOfCell)) {
    const general = lines.filter(isLineFor(group, allTables))
    const rights = general.length > 0 ? general : [wholeRights]
    return [...lines, ...rights.map((each) => newLine({ ...each, group, table: table.id, ...columns, problems: {} }))]
  }
  if (hidden.length === 0) return [...lines]
  return lines.map((line) => (isOfCell(line) ? { ...line, ...narrowed(line.columns ?? {}), problems: {} } : line))
}

export const isFilledIn = ({ type }: ColumnInfo) => type === 'createdBy'

/** The columns that name the owner of a record, starting with the one that the service fills in. */
export const ownerColumns = ({ columns }: TableView) =>
  columns
    .filter((column) => cellKind(column) === 'person' && !column.options.isMany && column.type !== 'updatedBy')
    .sort((one, other) => Number(isFilledIn(other)) - Number(isFilledIn(one)))

/** Whether a column can be added here: only to tables that Rowhouse created. */
export const canGetColumn = ({ createdAt }: TableView) => createdAt !== null

/** An unused name for a new column of the type `createdBy`. */
export function newOwnerName({ columns }: TableView): string {
  const isFree = (name: string) => columns.every((column) => column.name !== name)
  return [creatorName, ...columns.map((_, index) => `${creatorName}_${index + 2}`)].find(isFree)!
}

const creatorName = 'created_by'
