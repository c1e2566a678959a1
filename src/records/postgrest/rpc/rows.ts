import type { Column, Table } from '../../../tables/model'
import type { DatabaseFunction, ResultColumn } from './functions'

/** The result of a function as a table, for a query to filter and select from. */
export const rowsOf = ({ schema, name, columns }: DatabaseFunction): Table => ({
  id: '',
  schema,
  name,
  kind: 'view',
  primaryKey: [],
  uniqueKeys: [],
  caselessKeys: [],
  foreignKeys: [],
  columns: (columns ?? []).map(toColumn),
  hasRowVersion: false,
  columnsHash: '',
  rights: { select: true, insert: false, update: false, delete: false },
  readOnly: true,
  isOwn: false,
  isJoinTable: false,
  actsOnStatements: false,
  leavesOutChanges: false,
  runsFunctions: false,
  changesWritten: false,
  isLogged: false,
  createdAt: null,
  displayColumnId: null,
  searchIndex: { isOn: false, ready: null },
})

const toColumn = ({ name, type, operatorSchema }: ResultColumn): Column => ({
  id: '',
  name,
  type: 'other',
  sqlType: type,
  comparedAs: type,
  ...(operatorSchema === null ? {} : { operatorSchema }),
  required: false,
  unique: false,
  default: null,
  defaultExpression: null,
  options: {},
  description: null,
  position: 0,
  filledBy: 'generated',
  isReadable: true,
  isWritable: false,
})
