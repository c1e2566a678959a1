import type { AuditSource } from '../../auth/audit/audit-log'
import { sqlState } from '../../db/errors'
import type { Query } from '../../db/pool/open'
import { conflict, Failure, notFound, validationFailed } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { findTable, noSuchTable, type Tables } from '../catalog/catalog'
import { canBeChosenAsName, valueType } from '../column-types/descriptors'
import { isUuid } from '../column-types/uuid'
import { addColumnStatements, type ColumnDescription, createTableStatements, type TableDescription } from '../ddl'
import { inOrderOfUse } from '../formulas/order-of-use'
import type { Column, NewTable, Table, TablePatch } from '../model'
import { nearest } from '../nearest'
import { identifier, qualifiedName } from '../sql-text'
import { throwChangeError } from './errors'
import { sourceOnly, throwFormulaError, withFormula } from './formula-columns'
import {
  deleteTableMetadata,
  insertTableMetadata,
  placeTable,
  renameTableMetadata,
  updateDisplayColumn,
  updateSearchIndexed,
} from './metadata'
import { sectionProblems, tableNameProblems } from './names'
import { checkPattern } from './patterns'
import { plannedTable } from './planned-table'
import { type Definitions, withSchemaLock } from './schema-lock'
import { canBeIndexed, createTrigrams, dropSearchIndexes, requireTrigrams } from './search-indexes'
import { describeTable } from './table-description'
import { describeVirtualColumn } from './virtual-columns'

/**
 * The real table and its metadata are created together or not at all.
 * @throws Failure validation_failed, conflict (the name is taken)
 */
export async function createTable(definitions: Definitions, input: NewTable): Promise<Table> {
  const id = await withSchemaLock(definitions, ({ query, tables }) => createTableInTransaction(query, tables, input))
  return getTableById(definitions, id)
}

/** Like `createTable`, within a transaction that `changing` began. @returns the table's id */
export async function createTableInTransaction(query: Query, tables: Tables, input: NewTable): Promise<string> {
  const table = describeTable(input, tables)
  if (tables.byQualifiedName.has(`data.${table.name}`)) throw taken(table.name)
  const before = table.columns.length - input.columns.length
  try {
    for (const [index, column] of table.columns.entries()) await checkPattern(query, column, `/columns/${index - before}`)
    await runStatements(query, createTableStatements(table))
    const columns = await withFormulas(query, tables, table, before)
    await insertTableMetadata(query, { ...table, columns })
  } catch (error) {
    throwChangeError(error, { name: table.name })
  }
  return table.id
}

/**
 * Adds the formulas, whose types PostgreSQL knows only now, each after those that it uses.
 * @param before the number of columns that are not in the body
 */
async function withFormulas(query: Query, tables: Tables, table: TableDescription, before: number): Promise<ColumnDescription[]> {
  const columns = table.columns.map((column) => (column.type === 'formula' ? { ...column, options: sourceOnly(column.options) } : column))
  for (const column of inOrderOfUse(columns.filter(({ type }) => type === 'formula'))) {
    const index = columns.indexOf(column)
    const made = plannedTable(table, columns)
    columns[index] = await addFormula(query, { ...tables, list: [...tables.list, made] }, made, column, `/columns/${index - before}`)
  }
  return columns
}

/** @throws Failure validation_failed, conflict @returns the completed column */
export async function addFormula(
  query: Query,
  tables: Tables,
  table: Table,
  column: ColumnDescription,
  path: string,
): Promise<ColumnDescription> {
  const described = await withFormula(query, table, column, path)
  if (described.readFormula) return describeVirtualColumn(query, tables, table, described, `${path}/options/formula`)
  await dropSearchIndexes(query, table)
  await runStatements(query, addColumnStatements(table, described)).catch((error) => throwFormulaError(error, column, path))
  return described
}

/**
 * @param source the author of the change, for the audit log; null if there is no user
 * @throws Failure not_found, conflict, validation_failed
 */
export async function changeTable(
  definitions: Definitions,
  reference: string,
  { name, displayColumn, section, position, searchIndex }: TablePatch,
  source: AuditSource | null,
): Promise<Table> {
  const problems = [...(name === undefined ? [] : tableNameProblems(name, '/name')), ...sectionProblems(section)]
  if (problems.length) throw validationFailed(problems)
  const id = await withSchemaLock(definitions, async ({ query, tables }) => {
    const table = ownTable(tables, reference)
    if (displayColumn !== undefined) await changeDisplayColumn(query, table, displayColumn)
    if (section !== undefined || position !== undefined) await placeTable(query, tables.list, table, { section, position })
    if (searchIndex !== undefined) await switchSearchIndex(query, table, searchIndex)
    if (name === undefined || table.name === name) return table.id
    if (tables.byQualifiedName.has(`data.${name}`)) throw taken(name)
    try {
      await runStatements(query, [`alter table ${qualifiedName(table)} rename to ${identifier(name)}`])
      await renameTableMetadata(query, table.id, name)
      await definitions.catalog.followRename(query, tables, [table.name, name], source)
    } catch (error) {
      throwChangeError(error, { name })
    }
    return table.id
  })
  return getTableById(definitions, id)
}

/** The index itself is built after the change (`maintainSearchIndexes`). */
async function switchSearchIndex(query: Query, table: Table, isIndexed: boolean): Promise<void> {
  if (isIndexed && !canBeIndexed(table))
    throw conflict(translatable('The search cannot have an index: the key of the table has several columns.'))
  if (isIndexed && !table.searchIndex.isOn) {
    await requireTrigrams((statement) => query(statement, [], { prepare: false })).catch((error) => {
      // Classes: not supported, access rule violation, system error, raised by a provider's trigger.
      if (!/^(0A|42|58|P0)/.test(sqlState(error) ?? '')) throw error
      throw conflict(
        translatable('The search cannot have an index: the database lacks the extension pg_trgm, or Rowhouse may not use it.'),
        { hint: translatable('Let a superuser run: {statement}', { statement: `${createTrigrams};` }) },
      )
    })
  }
  await updateSearchIndexed(query, table.id, isIndexed)
}

/** @param reference the id or name of the column @returns its id @throws Failure validation_failed */
export async function changeDisplayColumn(query: Query, table: Table, reference: string | null): Promise<string | null> {
  const columnId = reference === null ? null : displayColumnId(table, reference)
  await updateDisplayColumn(query, table.id, columnId)
  return columnId
}

function displayColumnId(table: Table, reference: string): string {
  const column = table.columns.find(({ id, name }) => id === reference.toLowerCase() || name === reference)
  const problem = (message: Message) => validationFailed([{ path: '/displayColumn', message }])
  if (!column) throw problem(translatable('There is no such column.'))
  if (!column.isReadable || !canBeChosenAsName(column))
    throw problem(translatable('Values of the type {type} cannot name a record.', { type: valueType(column) }))
  return column.id
}

/**
 * @param confirmed the name of the table, as the caller sent it
 * @throws Failure not_found, validation_failed (the name is not confirmed), conflict (other tables link to it)
 */
export async function deleteTable(definitions: Definitions, reference: string, confirmed: string | undefined): Promise<void> {
  await withSchemaLock(definitions, async ({ query, tables }) => {
    const table = ownTable(tables, reference)
    requireConfirmation(table.name, confirmed, 'table')
    await deleteTableInTransaction(query, tables, table)
  })
}

/** Like `deleteTable`, within a transaction that `withSchemaLock` began. */
export async function deleteTableInTransaction(query: Query, tables: Tables, table: Table): Promise<void> {
  requireUnlinked(tables, table)
  const between = table.columns.flatMap(({ type, joinTable }) => (type === 'manyLinks' && joinTable ? [joinTable] : []))
  try {
    await runStatements(
      query,
      [...between, table].map((place) => `drop table ${qualifiedName(place)}`),
    )
    await deleteTableMetadata(query, table.id)
  } catch (error) {
    throwChangeError(error)
  }
}

/** To delete a table or column with all its contents, the caller has to repeat its name. */
export function requireConfirmation(name: string, confirmed: string | undefined, kind: 'table' | 'column'): void {
  if (confirmed === name) return
  throw new Failure(
    'validation_failed',
    kind === 'table'
      ? translatable('Deleting a table deletes its records; confirm with the table’s name.')
      : translatable('Deleting a column deletes its values; confirm with the column’s name.'),
    {
      hint: translatable('Add {parameter} to the URL.', { parameter: `?confirm=${encodeURIComponent(name)}` }),
      errors: [
        {
          path: 'confirm',
          message: confirmed === undefined ? translatable('is missing') : translatable('is not the name'),
        },
      ],
    },
  )
}

/** Refuses if columns of other tables point to the table, since they would lose their target. */
function requireUnlinked({ list, byQualifiedName }: Tables, table: Table): void {
  const linking = list
    .filter((other) => other !== table && !other.isJoinTable)
    .flatMap((other) => [
      ...other.foreignKeys
        .filter(({ target }) => byQualifiedName.get(`${target.schema}.${target.name}`) === table)
        .map(({ columns }) => [other, columns] as const),
      ...other.columns
        .filter(({ joinTable, reads }) => joinTable?.targetTableId === table.id || reads?.includes(table.id))
        .map(({ name }) => [other, [name]] as const),
    ])
    .map(([other, columns]) => `"${other.name}"."${columns.join('", "')}"`)
  if (linking.length === 0) return
  throw conflict(
    translatable('Other tables link to this one: {columns}.', {
      columns: `${linking.slice(0, 20).join(', ')}${linking.length > 20 ? ' …' : ''}`,
    }),
    {
      hint: translatable('Delete these columns first.'),
      details: { links: linking },
    },
  )
}

/** The table, if its definition may be changed here. @throws Failure not_found, conflict */
export function ownTable(tables: Tables, reference: string): Table {
  const table = findTable(tables, reference)
  if (!table) throw noSuchTable(tables.list, reference)
  if (table.isJoinTable) throw conflict(translatable('This table holds the values of a manyLinks column; change or delete that column.'))
  if (!table.isOwn) {
    throw conflict(translatable('Rowhouse did not create this table, so its definition cannot be changed here.'), {
      hint: translatable('Change it in the database; Rowhouse shows it as it is there.'),
    })
  }
  return table
}

/** @param reference id or name @throws Failure not_found, with the nearest name */
export function getColumn({ columns }: Table, reference: string): Column {
  const byId = isUuid(reference) ? columns.find(({ id }) => id === reference.toLowerCase()) : undefined
  const column = byId ?? columns.find(({ name }) => name === reference)
  if (column) return column
  const similar = nearest(
    reference,
    columns.map(({ name }) => name),
  )
  throw notFound(
    translatable('There is no such column.'),
    similar === undefined ? translatable('GET the table to list its columns.') : translatable('Did you mean "{similar}"?', { similar }),
  )
}

/** The table as it is after a change. */
export async function getTableById(definitions: Definitions, id: string): Promise<Table> {
  const table = (await definitions.catalog.current()).byId.get(id)
  if (!table) throw notFound(translatable('The table was just deleted.'))
  return table
}

/** The statements contain names and constants, so preparing them would gain nothing. */
export async function runStatements(query: Query, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await query(statement, [], { prepare: false })
}

const taken = (name: string): Failure =>
  conflict(translatable('A table named "{name}" already exists.', { name }), {
    errors: [{ path: '/name', message: translatable('is taken') }],
  })
