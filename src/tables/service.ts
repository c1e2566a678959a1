import { Value } from '@sinclair/typebox/value'
import { sql } from 'drizzle-orm'
import { sqlState } from '../db/failures'
import type { Db } from '../db/open'
import { columns as columnRows, tables as tableRows } from '../db/schema'
import { conflict, type Problem, validationFailed } from '../errors'
import { type ColumnTypeName, columnTypes } from './column-types'
import type { ColumnTypeDefinition } from './column-types/definition'
import { textProblem } from './column-types/text'
import { isUuid } from './column-types/uuid'
import { createTableStatement } from './ddl'
import type { ColumnView, NewColumn, NewTable, TableView } from './model'

const longestNameBytes = 63

type NewColumnView = Omit<typeof ColumnView.static, 'type'> & { type: ColumnTypeName }

/**
 * The catalogue's rows and the real table appear together or not at all.
 * @throws Failure validation_failed, conflict (the name is taken)
 */
export async function createTable(db: Db, input: NewTable): Promise<TableView> {
  const { columns, primaryKey } = plan(input)
  const table = { id: Bun.randomUUIDv7(), schema: 'data', name: input.name, primaryKey, columns, readOnly: false, createdAt: '' }
  try {
    await db.orm.transaction(async (tx) => {
      // Raising the version first also puts schema changes one behind another.
      await tx.execute(sql`update rowhouse.catalog_version set version = version + 1`)
      const [row] = await tx.insert(tableRows).values({ id: table.id, name: table.name }).returning()
      table.createdAt = row!.createdAt.toISOString()
      await tx.insert(columnRows).values(columns.map((column, position) => catalogRow(table, column, position)))
      await tx.execute(sql.raw(createTableStatement(table)))
    })
  } catch (error) {
    // 23505: a row of ours; 42P07: a relation that psql made; 42710: a type of that name.
    if (['23505', '42P07', '42710'].includes(sqlState(error) ?? '')) throw conflict(`There is a table named "${input.name}" already.`)
    throw error
  }
  return table
}

const catalogRow = (table: Pick<TableView, 'id' | 'primaryKey'>, column: NewColumnView, position: number) => ({
  id: column.id,
  tableId: table.id,
  name: column.name,
  type: column.type,
  required: column.required,
  isUnique: column.unique,
  default: column.default ?? null,
  options: column.options,
  position,
  keyPosition: table.primaryKey.includes(column.name) ? table.primaryKey.indexOf(column.name) : null,
})

/** From what was asked to what is to be made. @throws Failure validation_failed with every problem at once */
function plan(input: NewTable): { columns: NewColumnView[]; primaryKey: string[] } {
  const key = input.primaryKey ?? { name: 'id', type: 'bigint' as const }
  const own = Array.isArray(key) ? [] : [key]
  const names = [...own.map(({ name }) => name), ...input.columns.map(({ name }) => name)]
  const problems = [
    ...nameProblems(input.name, '/name'),
    ...own.flatMap(({ name }) => columnNameProblems(name, '/primaryKey/name')),
    ...input.columns.flatMap((column, index) => columnProblems(column, `/columns/${index}`)),
    ...input.columns.flatMap(({ name }, index) =>
      names.indexOf(name) < index + own.length
        ? [{ path: `/columns/${index}/name`, message: 'This name is taken by another column.' }]
        : [],
    ),
    ...(Array.isArray(key) ? keyProblems(key, input.columns) : []),
  ]
  if (['.', '..'].includes(input.name)) problems.push({ path: '/name', message: 'No address could name this table; choose another name.' })
  if (isUuid(input.name))
    problems.push({ path: '/name', message: 'A table’s name may not be a UUID, since tables are also addressed by their ids.' })
  if (problems.length) throw validationFailed(problems)
  const columns = input.columns.map((column) => describe(column, Array.isArray(key) && key.includes(column.name)))
  if (Array.isArray(key)) return { columns, primaryKey: key }
  const options = key.type === 'text' ? {} : { generated: true }
  return { columns: [describe({ ...key, options }, true), ...columns], primaryKey: [key.name] }
}

const describe = (column: NewColumn, isKey: boolean): NewColumnView => ({
  id: Bun.randomUUIDv7(),
  name: column.name,
  type: column.type,
  required: isKey || (column.required ?? false),
  unique: column.unique ?? false,
  default: column.default ?? null,
  options: column.options ?? {},
})

function nameProblems(name: string, path: string): Problem[] {
  const problem = textProblem(name)
  if (problem) return [{ path, message: `The name ${problem}.` }]
  if (Buffer.byteLength(name) > longestNameBytes) return [{ path, message: `A name has at most ${longestNameBytes} bytes in UTF-8.` }]
  return name.trim() === '' ? [{ path, message: 'A name needs a visible character.' }] : []
}

/** PostgreSQL's manual, 5.6: every table has these already. */
const systemColumns = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']

function columnNameProblems(name: string, path: string): Problem[] {
  return systemColumns.includes(name) ? [{ path, message: 'PostgreSQL keeps this name for itself.' }] : nameProblems(name, path)
}

function columnProblems({ name, type, options = {}, default: value }: NewColumn, path: string): Problem[] {
  const definition = columnTypes[type]
  const wrongOptions = [...Value.Errors(definition.options, options)].map((error) => ({
    path: `${path}/options${error.path}`,
    message: error.message,
  }))
  const { precision, scale } = options as { precision?: number; scale?: number }
  if (scale !== undefined && (precision === undefined || scale > precision)) {
    wrongOptions.push({ path: `${path}/options/scale`, message: 'scale needs a precision that is at least as large.' })
  }
  if (wrongOptions.length) return [...columnNameProblems(name, `${path}/name`), ...wrongOptions]
  const wrongDefault = value === undefined || value === null ? null : defaultProblem(definition, value, options)
  return [
    ...columnNameProblems(name, `${path}/name`),
    ...(wrongDefault ? [{ path: `${path}/default`, message: `The default ${wrongDefault}.` }] : []),
  ]
}

const defaultProblem = (definition: ColumnTypeDefinition, value: unknown, options: Record<string, unknown>): string | null =>
  definition.problem(value, options) ?? (isInfinite(value) ? 'holds a number that is too large' : null)

/** Defaults are kept as JavaScript reads them, and 1e400 is infinite to it. */
const isInfinite = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(isInfinite) : typeof value === 'number' && !Number.isFinite(value)

function keyProblems(key: string[], columns: NewColumn[]): Problem[] {
  return key.flatMap((name, index) => {
    const path = `/primaryKey/${index}`
    const column = columns.find((candidate) => candidate.name === name)
    if (!column) return [{ path, message: 'There is no column of this name.' }]
    if (key.indexOf(name) !== index) return [{ path, message: 'This column stands in the key already.' }]
    return column.type === 'json' ? [{ path, message: 'A JSON column cannot be part of a key.' }] : []
  })
}
