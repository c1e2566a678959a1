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

/** A value computed along a link is visible where the link is; without the link it has no values at all. */
function visibleRows(table: Table, column: Column, grants: readonly Grant[]): RowRule {
  const readers = grants.filter(({ reads }) => reads === null || reads.has(column.id) || isKey(table, column))
  const visible = anyOf(readers.map((grant) => grant.read))
  const link = table.columns.find(({ id }) => id === column.options.link)
  const isLinkSeen = link && link !== column ? visibleRows(table, link, grants) : 'none'
  return isLinkSeen === 'none' ? visible : allOf([visible, isLinkSeen])
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
