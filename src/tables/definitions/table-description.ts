import { type Problem, validationFailed } from '../../errors'
import { translatable } from '../../messages/message'
import type { Tables } from '../catalog/catalog'
import { columnTypes } from '../column-types'
import { withCaseRule } from '../constraints'
import type { ColumnDescription, LinkTarget, TableDescription } from '../ddl'
import type { NewColumn, NewTable } from '../model'
import { columnProblems, defaultProblems } from './column-validation'
import { joinTableFor, linkTargetOf } from './link-targets'
import { columnNameProblems, sectionProblems, tableNameProblems } from './names'

/** The description of a new column, without the parts that depend on other tables. */
function describeColumn(column: NewColumn, isKey = false): ColumnDescription {
  const definition = columnTypes[column.type]
  const unique = column.unique ?? false
  const options = withCaseRule({ type: column.type, unique, options: column.options ?? {} })
  return {
    id: Bun.randomUUIDv7(),
    name: column.name,
    type: column.type,
    required: isKey || (definition.required ?? column.required ?? false),
    unique,
    default: column.default ?? null,
    options,
    description: column.description || null,
    sqlType: definition.sqlType(options),
  }
}

/**
 * The column with its target.
 * @param path the column's position in the body
 * @param taken names of join tables that other new columns have taken
 */
export function linked(
  column: ColumnDescription,
  tables: Tables,
  own: TableDescription,
  path: string,
  taken: ReadonlySet<string> = new Set(),
): ColumnDescription | Problem {
  const target = linkTargetOf(column, tables, own)
  if (target === null) return column
  if ('path' in target) return { ...target, path: path + target.path }
  if (column.type === 'link') return linkTo(column, target, path)
  if (column.type !== 'manyLinks') return { ...column, target }
  const isTaken = (name: string) => name === own.name || taken.has(name) || tables.byQualifiedName.has(`data.${name}`)
  const joinTable = joinTableFor(own, column.name, target, isTaken)
  return { ...column, target, joinTable, sqlType: `${target.keyType}[]`, options: { table: target.id } }
}

function linkTo(column: ColumnDescription, target: LinkTarget, path: string): ColumnDescription | Problem {
  const onDelete = column.options.onDelete ?? (column.required ? 'restrict' : 'setNull')
  if (onDelete === 'setNull' && column.required) {
    return {
      path: `${path}/options/onDelete`,
      message: translatable('A column that is required cannot be set to null; use restrict or cascade.'),
    }
  }
  return { ...column, target, sqlType: target.keyType, options: { table: target.id, onDelete } }
}

/**
 * Turns the request into the description of the new table.
 * @throws Failure validation_failed with every problem at once
 */
export function describeTable(input: NewTable, tables: Tables): TableDescription {
  const key = input.primaryKey ?? { name: 'id', type: 'bigint' as const }
  const own = Array.isArray(key) ? [] : [key]
  const problems = [
    ...tableNameProblems(input.name, '/name'),
    ...sectionProblems(input.section),
    ...own.flatMap(({ name }) => columnNameProblems(name, '/primaryKey/name')),
    ...input.columns.flatMap((column, index) => columnProblems(column, `/columns/${index}`)),
    ...repeatedNames(own, input.columns),
    ...virtualProblems(input.columns),
    ...(Array.isArray(key) ? keyProblems(key, input.columns) : []),
  ]
  if (problems.length) throw validationFailed(problems)
  const columns = input.columns.map((column) => describeColumn(column, Array.isArray(key) && key.includes(column.name)))
  const made = own.map((column) => describeColumn({ ...column, ...(column.type === 'text' ? {} : { options: { generated: true } }) }, true))
  const table = {
    id: Bun.randomUUIDv7(),
    schema: 'data',
    name: input.name,
    primaryKey: Array.isArray(key) ? key : [key.name],
    section: input.section?.trim() ?? null,
    columns: [...made, ...columns],
  }
  return linkedTable(table, tables, made.length)
}

/** @param before the number of the table's columns that are not in the body */
function linkedTable(table: TableDescription, tables: Tables, before: number): TableDescription {
  const problems: Problem[] = []
  const columns = [...table.columns]
  const taken = new Set<string>()
  const isKey = ({ name }: ColumnDescription) => table.primaryKey.includes(name)
  // A link to the table itself needs the type of its key.
  const inOrder = [...table.columns.filter(isKey), ...table.columns.filter((column) => !isKey(column))]
  for (const column of inOrder) {
    const index = table.columns.indexOf(column)
    const path = `/columns/${index - before}`
    const found = linked(column, tables, { ...table, columns }, path, taken)
    if ('path' in found) {
      problems.push(found)
      continue
    }
    problems.push(...defaultProblems(found, path))
    if (found.joinTable) taken.add(found.joinTable.name)
    columns[index] = found
  }
  if (problems.length) throw validationFailed(problems)
  return { ...table, columns }
}

/** The columns that they read have to exist before them. */
const virtualProblems = (columns: NewColumn[]): Problem[] =>
  columns.flatMap(({ type }, index) =>
    columnTypes[type].isVirtual
      ? [
          {
            path: `/columns/${index}/type`,
            message: translatable('Create the table first, then add a column of the type {type}.', { type }),
          },
        ]
      : [],
  )

function repeatedNames(own: { name: string }[], columns: NewColumn[]): Problem[] {
  const names = [...own, ...columns].map(({ name }) => name)
  return columns.flatMap(({ name }, index) =>
    names.indexOf(name) < index + own.length
      ? [{ path: `/columns/${index}/name`, message: translatable('This name is taken by another column.') }]
      : [],
  )
}

const notInKeys = ['json', 'multiSelect', 'attachment', 'manyLinks', 'formula', 'user', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy']

function keyProblems(key: string[], columns: NewColumn[]): Problem[] {
  return key.flatMap((name, index) => {
    const path = `/primaryKey/${index}`
    const column = columns.find((candidate) => candidate.name === name)
    if (!column) return [{ path, message: translatable('There is no column with this name.') }]
    if (key.indexOf(name) !== index) return [{ path, message: translatable('This column is already in the key.') }]
    return notInKeys.includes(column.type) || columnTypes[column.type].isVirtual
      ? [{ path, message: translatable('A column of the type {type} cannot be part of a key.', { type: column.type }) }]
      : []
  })
}

/** Describes a column that is added to a table. @throws Failure validation_failed with every problem at once */
export function describeNewColumn(input: NewColumn, table: TableDescription, tables: Tables): ColumnDescription {
  const problems = columnProblems(input, '')
  if (problems.length) throw validationFailed(problems)
  const found = linked(describeColumn(input), tables, table, '')
  if ('path' in found) throw validationFailed([found])
  const wrong = defaultProblems(found, '')
  if (wrong.length) throw validationFailed(wrong)
  return found
}
