import type { Executor } from '../../../db/pool/open'
import { hasHugeExponent, hugeExponent } from '../../../tables/column-types/decimal'
import { isStoredColumn } from '../../../tables/computed-value'
import type { Column, Table } from '../../../tables/model'
import { mostRecords } from '../../model'
import { findColumn } from '../../query/plan/fields'
import { deleteStatement, insertStatement, type Returning, updateStatement } from '../../query/sql/write'
import { accessDenied, requireWritable } from '../../store/rights'
import { isReadAgain } from '../../store/writes/read-again'
import { advanceIdentity, deleteRows, insertRows, isWrittenInSteps, linkColumns, updateRows } from '../../store/writes/row-writes'
import { isBatchable, writeAlone } from '../../store/writes/write-route'
import { throwRestError } from '../errors/engine-errors'
import { RestFailure, throwRestFailure } from '../errors/failure'
import { keyInQuery, mostRows } from '../prepared-query'
import { requireSingle } from '../reads'
import { type RestPayload, requireUniform } from '../request/body'
import { csvHeader } from '../sql'
import { performWrite, type RowsWrite, type WriteOutcome } from './representation'
import { insertOneRow, updateOneRow } from './single-writes'
import { isUsual, type RestWrite } from './write-plan'

/** @throws RestFailure; nothing is written then */
export async function insertRecords(executor: Executor, write: RestWrite, body: RestPayload): Promise<WriteOutcome> {
  const { table, preferences, userId } = write
  requireWritable(table, 'insert')
  const names = namesOf(write, body)
  const conflict = conflictOf(write)
  const isSure = body.count === 1 && conflict?.resolution !== 'ignore'
  const insert = {
    table,
    names,
    isDefaultForMissing: preferences.missing === 'default' && !(body.isUniform && coversAll(body, names)),
    conflict,
    userId,
    isInSchema: true,
  }
  const isNarrowed = conflict?.resolution === 'merge' && table.access !== undefined
  const needsTransaction = isWrittenInSteps(table, names, true) || needsCheck(write, isSure) || isNarrowed || showsLater(write)
  const isOne = body.count === 1 && !needsCheck(write, isSure) && !conflict && !insert.isDefaultForMissing
  if (isOne && canBatchRow(executor, write, names, true)) return insertOneRow(executor, write, names, body)
  return writeGuarded(executor, write, needsTransaction, async ({ query }) => {
    const work: RowsWrite = {
      table,
      finish: () => advanceIdentity(query, table, names, body.text),
      write: (returning) => insertRows(query, { ...insert, json: body.text, returning }),
      statement: hasLinks(table, names) ? null : (returning) => insertStatement({ ...insert, returning }, body.text),
    }
    const asked = {
      hasKey: preferences.return === 'headers-only' && table.primaryKey.length > 0,
      hasNewness: conflict !== undefined && table.hasRowVersion,
    }
    const outcome = await performWrite(query, work, asked, write.returned, write.media)
    // The caller may not change some of the existing rows.
    if (isNarrowed && outcome.count < body.count) throw accessDenied(table, 'update')
    return outcome
  })
}

/** @throws RestFailure; nothing is written then */
export async function changeRecords(executor: Executor, write: RestWrite, body: RestPayload): Promise<WriteOutcome> {
  const { table, plan, preferences, userId } = write
  requireWritable(table, 'update')
  requireFilter(write, 'UPDATE')
  if (body.count !== 1)
    throwRestFailure(400, 'PGRST102', 'A change is one object', null, 'All rows that the filter finds get the same values.')
  const names = namesOf(write, body)
  if (names.length === 0) return unchanged(write)
  const defaulted = preferences.missing === 'default' ? names.filter((name) => !body.names.includes(name)) : []
  const isOne = defaulted.length === 0 && preferences.maxAffected !== 0 && canBatchRow(executor, write, names, false)
  const key = isOne ? keyInQuery(table, write.query) : undefined
  if (key !== undefined) return updateOneRow(executor, write, names, body, key)
  const update = { table, names, defaulted, condition: plan.condition, userId, isInSchema: true }
  const needsTransaction = isWrittenInSteps(table, names, false) || needsCheck(write, false) || showsLater(write)
  return writeGuarded(executor, write, needsTransaction, ({ query }) => {
    const work: RowsWrite = {
      table,
      write: (returning) => updateRows(query, { ...update, json: body.text, returning: limited(returning) }),
      statement: hasLinks(table, names) ? null : (returning) => updateStatement({ ...update, returning }, body.text),
    }
    return performWrite(query, work, {}, write.returned, write.media)
  })
}

/** A change of no column affects no rows, as in PostgREST. @throws RestFailure PGRST116 */
function unchanged({ returned, media }: RestWrite): WriteOutcome {
  if (media.form === 'object') requireSingle(0)
  const body = returned && media.form === 'csv' ? csvHeader(returned.outputs.map(({ name }) => name)) : '[]'
  return { body, length: 0, count: 0, key: undefined, hasNew: false }
}

/** @throws RestFailure; nothing is written then */
export async function removeRecords(executor: Executor, write: RestWrite): Promise<WriteOutcome> {
  const { table, plan } = write
  requireWritable(table, 'delete')
  requireFilter(write, 'DELETE')
  const remove = { table, condition: plan.condition, isInSchema: true }
  return writeGuarded(executor, write, needsCheck(write, false), ({ query }) => {
    const work: RowsWrite = {
      table,
      write: (returning) => deleteRows(query, { ...remove, returning: limited(returning) }),
      statement: (returning) => deleteStatement({ ...remove, userId: null, returning }),
      isRemoval: true,
    }
    return performWrite(query, work, {}, write.returned, write.media)
  })
}

/** A response has at most `mostRows` rows, however many a filter finds. */
const limited = (returning: Returning): Returning => (returning.plan ? { ...returning, most: mostRows } : returning)

const canBatchRow = (executor: Executor, write: RestWrite, names: readonly string[], isInsert: boolean): boolean =>
  isUsual(write) && isBatchable(executor, { table: write.table, names, isInsert, isDryRun: write.preferences.tx === 'rollback' })

/** In a transaction if its changes may have to be undone, or if it has several steps. */
export async function writeGuarded(
  executor: Executor,
  write: RestWrite,
  needsTransaction: boolean,
  work: (inside: Executor) => Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  const { preferences, media, identity } = write
  try {
    return await writeAlone(executor, { identity, isDryRun: preferences.tx === 'rollback', needsTransaction }, async (inside) => {
      const outcome = await work(inside)
      requireMaxAffected(outcome.count, preferences.maxAffected)
      if (media.form === 'object') requireSingle(outcome.count)
      return outcome
    })
  } catch (error) {
    throwRestError(error, write)
  }
}

const showsLater = ({ table, returned }: RestWrite) => isReadAgain(table, { plan: returned })

const needsCheck = ({ preferences, media }: RestWrite, isSure: boolean) =>
  !isSure && (preferences.maxAffected !== undefined || media.form === 'object')

function requireMaxAffected(count: number, most: number | undefined): void {
  if (most !== undefined && count > most) {
    throwRestFailure(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', `The query affects ${count} rows`)
  }
}

/** Like Supabase: a forgotten filter must not change or delete everything. */
function requireFilter({ query }: RestWrite, verb: 'UPDATE' | 'DELETE'): void {
  if (query.filters.length === 0) {
    throwRestFailure(
      400,
      '21000',
      `${verb} requires a WHERE clause`,
      null,
      'Send a filter; one that all rows meet, such as id=not.is.null, means all of them.',
    )
  }
}

/** The columns to write. @throws RestFailure PGRST204, 428C9 */
export function namesOf({ table, query }: RestWrite, body: RestPayload): string[] {
  if (body.count > mostRecords) {
    throwRestFailure(
      413,
      'payload_too_large',
      `One request accepts at most ${mostRecords} records`,
      null,
      'Split them into several requests.',
    )
  }
  if (hasHugeExponent(body.text)) throwRestFailure(400, '22003', `A number ${hugeExponent}.`)
  if (!query.columns) requireUniform(body)
  const names = [...new Set(query.columns ?? body.names)].sort()
  for (const name of names) holdWritable(table, name)
  return names
}

function holdWritable(table: Table, name: string): void {
  const column = findColumn(table, name)
  if (!column || column.access?.isHidden)
    throwRestFailure(400, 'PGRST204', `Could not find the '${name.slice(0, 100)}' column of '${table.name}' in the schema cache`)
  if (column.access?.isReadOnly) throwRestFailure(403, '42501', `permission denied for column ${name}`, null, 'You may not write it.')
  if (!isStoredColumn(column) && !column.isWritable) throwUnwritable(column)
  if (column.filledBy !== 'rowhouse') return
  throwRestFailure(
    400,
    '428C9',
    `cannot insert a non-DEFAULT value into column "${name}"`,
    `Column "${name}" is filled by Rowhouse.`,
    columnHint(column),
  )
}

/** PostgreSQL has no such column, and would not reject a write to the columns that it represents. */
function throwUnwritable({ name, computed }: Column): never {
  if (computed)
    throwRestFailure(400, '428C9', `cannot insert a non-DEFAULT value into column "${name}"`, `Column "${name}" is computed.`, null)
  throwRestFailure(403, '42501', `permission denied for column ${name}`, null, 'Its values are records of a table that may not be changed.')
}

const columnHint = ({ type }: Column): string | null =>
  type === 'attachment' ? 'Files are uploaded and deleted one by one, at /api/v1/tables/{table}/records/{pk}/attachments/{column}.' : null

const coversAll = ({ names }: RestPayload, wanted: readonly string[]) => wanted.every((name) => names.includes(name))

const hasLinks = (table: Table, names: readonly string[]) => linkColumns(table, names).length > 0

function conflictOf({ table, query, preferences }: RestWrite) {
  const columns = query.onConflict ?? table.primaryKey
  if (!preferences.resolution || columns.length === 0) return undefined
  for (const name of columns) {
    if (findColumn(table, name)?.access?.isHidden ?? !findColumn(table, name)) throw unknownConflictColumn(name)
  }
  return { columns, resolution: preferences.resolution === 'merge-duplicates' ? 'merge' : 'ignore' } as const
}

const unknownConflictColumn = (name: string) =>
  new RestFailure({ status: 400, code: '42703', message: `column "${name.slice(0, 100)}" does not exist`, details: null, hint: null })
