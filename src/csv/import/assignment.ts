import type { Column, Table } from '../../tables/model'

/**
 * A column of the table that the file fills. `cell` is the index of its cell in the record, from 0, or -1 without a
 * cell. `kept` names a column of the staging table with the value for an empty cell; a key has one when it must be
 * known before the record is inserted. `isPlain` is false if the file writes such values in a different notation: the
 * staging table then has a second column with the value as PostgreSQL reads it. `counted` is SQL for the number of a
 * record with an empty cell, if other records have a number in the file. `links` holds the records to which the cells
 * refer.
 */
export type Filled = { column: Column; cell: number; kept?: string; isPlain?: boolean; counted?: string; links?: LinkTable }

/** A temporary table with a row for each distinct cell of a column that links to `target`, a table's name. */
export type LinkTable = { table: string; target: string }

export type Assignment = {
  filled: Filled[]
  /**
   * Names in the header that are skipped: the request ignores them, or only Rowhouse or PostgreSQL writes their
   * columns.
   */
  ignored: string[]
  /** The indexes, from 0, of cells without a name in the header. */
  unnamed: number[]
  /** The columns that identify an existing record; empty for inserts. */
  key: Filled[]
}

const linksToItself = ({ id, schema, name, foreignKeys }: Table, column: Column): boolean =>
  column.joinTable?.targetTableId === id ||
  foreignKeys.some(({ columns, target }) => columns.includes(column.name) && target.schema === schema && target.name === name)

/**
 * The assignment without the optional links of the table to itself. Null if there are no such links or nothing else,
 * and for a caller with access rules, since the rules may read the links.
 */
export function withoutOwnLinks(table: Table, assignment: Assignment): Assignment | null {
  const { filled, key } = assignment
  const isKey = ({ column }: Filled) => key.some((part) => part.column === column)
  const others = filled.filter((part) => part.column.required || isKey(part) || !linksToItself(table, part.column))
  const isWritable = others.length < filled.length && others.some(({ column }) => !column.joinTable)
  return isWritable && !table.access ? { ...assignment, filled: others } : null
}
