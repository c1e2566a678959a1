import type { Column, ColumnAccess, RowRule, Table } from '../tables/model'
import { allOf, anyOf, isSameRule } from '../tables/row-rules'

/** One line of the document for one caller and one table; `reads` and `writes` are ids of columns, null for all. */
export type Grant = {
  read: RowRule
  create: RowRule
  update: RowRule
  delete: RowRule
  reads: ReadonlySet<string> | null
  writes: ReadonlySet<string> | null
}

/** The key names a record, so a caller who may read a record may read its key. */
const isKey = ({ primaryKey }: Table, { name }: Column) => primaryKey.includes(name)

/**
 * A value computed along a link is visible in the rows in which the link is visible, and a value computed from columns
 * in the rows in which all of those columns are. If the link or a column is hidden in every row, the computed column
 * has no values.
 * @param seen the columns on the way to this one: a formula may use itself once psql has renamed columns
 */
function visibleRows(table: Table, column: Column, grants: readonly Grant[], seen: readonly Column[] = []): RowRule {
  const readers = grants.filter(({ reads }) => reads === null || reads.has(column.id) || isKey(table, column))
  const visible = anyOf(readers.map((grant) => grant.read))
  const ids = [column.options.link, ...(column.readFormula?.uses ?? []).map(({ id }) => id)]
  const path = [...seen, column]
  const read = table.columns.filter((other) => ids.includes(other.id) && !path.includes(other))
  const rules = read.map((other) => visibleRows(table, other, grants, path)).filter((rule) => rule !== 'none')
  return allOf([visible, ...rules])
}

/**
 * The columns that the lines allow. A column that only some lines show is visible in the rows of those lines: a member
 * of two groups sees no more of a row than a member of one of them.
 * @param read the rows that may be read at all
 */
export const narrowColumns = (table: Table, grants: readonly Grant[], read: RowRule): Column[] =>
  table.columns.map((column) => {
    const writers = grants.filter(({ writes }) => writes?.has(column.id) ?? true)
    const visible = visibleRows(table, column, grants)
    const canWriteIt = anyOf(writers.flatMap(({ create, update }) => [create, update])) !== 'none'
    const access: ColumnAccess = {}
    if (visible === 'none') Object.assign(access, canWriteIt && column.isWritable ? { isUnreadable: true } : { isHidden: true })
    else if (typeof visible === 'object' && !isSameRule(visible, read)) access.visibleIn = visible
    if (!canWriteIt) access.isReadOnly = true
    if (Object.keys(access).length === 0) return column
    return {
      ...column,
      access,
      isReadable: column.isReadable && visible !== 'none',
      isWritable: column.isWritable && canWriteIt,
    }
  })
