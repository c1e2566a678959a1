import { sqlState } from '../../db/errors'
import type { Query } from '../../db/pool/open'
import { conflict, type Failure, validationFailed } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { findTable, type Tables } from '../catalog/catalog'
import { filterType } from '../catalog/links/linked-conditions'
import { linkedRecords, type TableIndex } from '../catalog/links/linked-records'
import { storedOptions, withVirtualColumns } from '../catalog/virtual-columns'
import type { LinkedFilter } from '../column-types/computed'
import { computedText, isVirtual } from '../computed-value'
import type { ColumnDescription } from '../ddl'
import { problemAt } from '../formulas/problem'
import type { Column, Table } from '../model'
import { nearest } from '../nearest'
import { qualifiedName } from '../sql-text'
import { isFrozenTime } from '../sql-types'

/**
 * A virtual column as it is stored: its options hold ids, so that other tables and columns may be renamed.
 * @throws Failure validation_failed if it would have no values; conflict if other columns could no longer be computed
 */
export async function describeVirtualColumn(
  query: Query,
  tables: Tables,
  table: Table,
  column: ColumnDescription,
  path = '/options',
): Promise<ColumnDescription> {
  const references = referencesOf(tables, table, column)
  const { filterTypes, ...options } = references
  const candidate: Column = {
    ...{ ...column, options, defaultExpression: null, position: 0, isReadable: true, isWritable: false },
    ...{ comparedAs: 'text', filledBy: column.type === 'reverseLinks' ? 'caller' : 'generated' },
  }
  const columns = [...table.columns.filter(({ id }) => id !== column.id), candidate]
  const list = tables.list.map((other) => (other === table ? { ...table, columns } : other))
  const found = withVirtualColumns(list)
    .find(({ id }) => id === table.id)!
    .columns.find(({ id }) => id === column.id)!
  if (found.options.problem !== undefined) throw validationFailed([{ path, message: found.options.problem as Message }])
  requireComputable(tables, list, translatable('be changed in this way'))
  if (found.computed) await checkValue(query, table, column, computedText(found.computed, 't'), path)
  return { ...column, sqlType: found.sqlType, options: { ...options, ...(filterTypes ? { filterTypes } : {}) } }
}

function referencesOf(tables: Tables, table: Table, column: ColumnDescription): References {
  // A formula stores the ids that it needs outside its options.
  if (column.type === 'formula') return column.options
  return column.type === 'reverseLinks' ? reverseReferences(tables, column) : computedReferences(tables, table, column)
}

type References = Record<string, unknown> & { filterTypes?: Record<string, string> }

function reverseReferences(tables: Tables, { options }: ColumnDescription): References {
  const source = findTable(tables, String(options.table))
  if (!source || source.isJoinTable) throw unknown('/options/table', 'table', String(options.table), tables.list)
  const link = columnOf(source, String(options.column))
  if (!link) throw unknown('/options/column', 'column', String(options.column), source.columns)
  return { table: source.id, column: link.id }
}

function computedReferences(tables: Tables, table: Table, column: ColumnDescription): References {
  const { link: linkName, column: columnName, filter: filters, filterTypes: _, ...rest } = storedOptions(column)
  const link = columnOf(table, String(linkName))
  if (!link) throw unknown('/options/link', 'column', String(linkName), table.columns)
  const target = linkedRecords(indexOf(tables), table, link, '')?.target
  if (!target)
    throw validationFailed([{ path: '/options/link', message: translatable('"{name}" is not a link to records.', { name: link.name }) }])
  const read = columnName === undefined ? undefined : columnOf(target, String(columnName))
  if (columnName !== undefined && !read) throw unknown('/options/column', 'column', String(columnName), target.columns)
  const types: Record<string, string> = {}
  const kept: LinkedFilter[] = []
  for (const [index, filter] of ((filters ?? []) as LinkedFilter[]).entries()) {
    const filtered = columnOf(target, filter.column)
    if (!filtered) throw unknown(`/options/filter/${index}/column`, 'column', filter.column, target.columns)
    requireTimeless(filtered, filter, `/options/filter/${index}/value`)
    types[filtered.id] = filterType(filtered)
    kept.push({ ...filter, column: filtered.id })
  }
  const options = { link: link.id, ...(read ? { column: read.id } : {}), ...rest }
  return kept.length ? { ...options, filter: kept, filterTypes: types } : options
}

function requireTimeless({ comparedAs }: Column, { value, operator }: LinkedFilter, path: string): void {
  if (['like', 'ilike'].includes(operator) || ![value].flat().some((text) => isFrozenTime(comparedAs, text))) return
  const message = translatable('would keep the day on which PostgreSQL reads a word such as "today"; use a formula with TODAY() instead')
  throw validationFailed([{ path, message }])
}

const indexOf = ({ byId, list }: Tables): TableIndex => ({ byId, byName: new Map(list.map((table) => [qualifiedName(table), table])) })

const columnOf = ({ columns }: Table, reference: string): Column | undefined =>
  columns.find(({ id }) => id === reference.toLowerCase()) ?? columns.find(({ name }) => name === reference)

function unknown(path: string, kind: 'table' | 'column', reference: string, known: readonly { name: string }[]): Failure {
  const similar = nearest(
    reference,
    known.map(({ name }) => name),
  )
  const message =
    kind === 'table'
      ? similar === undefined
        ? translatable('There is no such table.')
        : translatable('There is no such table; did you mean "{similar}"?', { similar })
      : similar === undefined
        ? translatable('There is no such column.')
        : translatable('There is no such column; did you mean "{similar}"?', { similar })
  return validationFailed([{ path, message }])
}

/** Plans a statement with the value, since PostgreSQL reads the constants of a filter when it plans. */
async function checkValue(query: Query, table: Table, { type }: ColumnDescription, value: string, path: string): Promise<void> {
  try {
    await query(`select ${value} from ${qualifiedName(table)} t limit 0`, [], { prepare: false })
  } catch (error) {
    const state = sqlState(error) ?? ''
    if (type === 'formula' && /^(22|42|54)/.test(state))
      throw validationFailed([{ path, message: problemAt(translatable('is too complex'), null).text }])
    if (!state.startsWith('22') && !state.startsWith('42')) throw error
    throw validationFailed([{ path: '/options/filter', message: translatable('A value does not fit the type of its column.') }])
  }
}

/**
 * @param list the tables after the change
 * @param what the rest of the sentence "It cannot …"
 * @throws Failure conflict that names the columns which would no longer have values
 */
function requireComputable(tables: Tables, list: readonly Table[], what: Message): void {
  const now = new Set(tables.list.flatMap(({ columns }) => columns.filter(hasProblem).map(({ id }) => id)))
  const lost = withVirtualColumns(list).flatMap((table) =>
    table.columns.filter((column) => hasProblem(column) && !now.has(column.id)).map((column) => `"${table.name}"."${column.name}"`),
  )
  if (lost.length) throw inUse(lost, what)
}

const hasProblem = (column: Column) => isVirtual(column) && column.options.problem !== undefined

const inUse = (columns: string[], what: Message) =>
  conflict(
    translatable('It cannot {what}, since other columns read it: {columns}.', {
      what,
      columns: `${columns.slice(0, 20).join(', ')}${columns.length > 20 ? ' …' : ''}`,
    }),
    {
      hint: translatable('Change or delete these columns first.'),
      details: { columns },
    },
  )

/**
 * @param after null if the column is deleted
 * @param isKept whether its values stay unchanged, so that filters still find the same records
 * @throws Failure conflict if others could no longer be computed
 */
export function requireUnread(tables: Tables, table: Table, column: Column, after: ColumnDescription | null, isKept = false): void {
  const what = after ? translatable('change its type') : translatable('be deleted')
  if (after && !isKept && after.type !== 'formula') {
    const filtering = tables.list.flatMap((other) =>
      other.columns
        .filter(({ options }) => ((options.filter ?? []) as LinkedFilter[]).some((filter) => filter.column === column.id))
        .map(({ name }) => `"${other.name}"."${name}"`),
    )
    if (filtering.length) throw inUse(filtering, what)
  }
  const changed = after ? [changedColumn(column, after)] : []
  const isSameLink = after?.type === 'link' && (column.type !== 'link' || after.options.table === column.options.table)
  const foreignKeys = table.foreignKeys.filter(({ columns }) => isSameLink || !columns.includes(column.name))
  const columns = table.columns.flatMap((other) => (other === column ? changed : [other]))
  requireComputable(
    tables,
    tables.list.map((other) => (other === table ? { ...table, columns, foreignKeys } : other)),
    what,
  )
}

/** The parts of the changed column that others read. */
function changedColumn({ joinTable, computed: _, readFormula: __, ...column }: Column, after: ColumnDescription): Column {
  const described = { ...column, type: after.type, sqlType: after.sqlType, comparedAs: after.sqlType.replace(/\(.*\)/, '') }
  const between = after.type === 'manyLinks' ? (after.joinTable ?? joinTable) : undefined
  return { ...described, options: after.options, ...(between ? { joinTable: between } : {}) }
}
