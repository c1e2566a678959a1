import type { ColumnDescription, TableDescription } from '../ddl'
import type { Table } from '../model'

/** A table that is being created, for the formulas that read its columns. */
export const plannedTable = (table: TableDescription, columns: readonly ColumnDescription[]): Table => ({
  ...table,
  ...{ kind: 'table', uniqueKeys: [], caselessKeys: [], foreignKeys: [], columnsHash: '', createdAt: null, displayColumnId: null },
  ...{ section: null, position: null },
  ...{ hasRowVersion: true, readOnly: false, isOwn: true, isJoinTable: false, isLogged: false },
  ...{ actsOnStatements: false, leavesOutChanges: false, runsFunctions: false, changesWritten: false },
  searchIndex: { isOn: false, ready: null },
  rights: { select: true, insert: true, update: true, delete: true },
  columns: columns.map((column, position) => ({
    ...{ ...column, position, comparedAs: column.sqlType.replace(/\(.*\)/, ''), defaultExpression: null },
    ...{ filledBy: 'caller', isReadable: true, isWritable: true },
  })),
})
