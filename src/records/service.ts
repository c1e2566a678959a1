import type { Db } from '../db/open'
import { invalidRequest, notFound, type Problem, preconditionFailed, validationFailed } from '../errors'
import { columnTypes } from '../tables/column-types'
import { isCounted, isGenerated } from '../tables/ddl'
import type { Table } from '../tables/model'
import { nearest } from '../tables/nearest'
import { refusedWrite } from './failures'
import { isKeyPart } from './key'
import { defaultLimit, type Page, type RecordBody } from './model'
import { deleteByKey, insertMixedRecords, insertRecords, selectPage, updateByKey } from './query/sql'
import { type Row, readerOf, type StoredRecord, stored } from './reader'

/** @throws Failure not_found */
export async function getRecord(db: Db, table: Table, key: string[]): Promise<StoredRecord> {
  return (await readerOf(db, table)(key)) ?? missing()
}

function missing(): never {
  throw notFound('There is no record with this key.')
}

/** A page in the order of the key. @returns the records as a JSON array, and where the next page begins */
export async function listRecords(
  db: Db,
  table: Table,
  { limit = defaultLimit, cursor }: Page,
): Promise<{ json: string; nextCursor: string | null }> {
  const after = cursor === undefined ? [] : readCursor(table, cursor)
  const statement = selectPage(table, after.length > 0)
  const [row] = await db.query<{ records: string; has_more: boolean; last_key: string }>(statement, [String(limit), ...after])
  return { json: row!.records, nextCursor: row!.has_more ? Buffer.from(row!.last_key).toString('base64url') : null }
}

/** @throws Failure invalid_request */
function readCursor(table: Table, cursor: string): string[] {
  try {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isKey =
      Array.isArray(parts) &&
      parts.length === table.primaryKey.length &&
      parts.every((part, index) => typeof part === 'string' && isKeyPart(table, index, part))
    if (isKey) return parts
  } catch {}
  throw invalidRequest('The cursor is not one of this table.', 'Send the nextCursor of the page before, unchanged.')
}

/**
 * All or nothing. What a record does not name gets its column's default.
 * @param text the JSON as it was sent: PostgreSQL reads the values from it, so that numbers keep all their digits
 * @throws Failure validation_failed, conflict
 */
export async function createRecords(db: Db, table: Table, body: RecordBody | RecordBody[], text: string): Promise<StoredRecord[]> {
  const bodies = Array.isArray(body) ? body : [body]
  if (bodies.length === 0) throw validationFailed([{ path: '', message: 'The array is empty.' }])
  const problems = bodies.flatMap((item, index) => newRecordProblems(table, item, Array.isArray(body) ? `/${index}` : ''))
  if (problems.length) throw validationFailed(problems.slice(0, 100))
  const shapes = new Set(bodies.map((item) => JSON.stringify(Object.keys(item).sort())))
  const names = [...new Set(bodies.flatMap((item) => Object.keys(item)))].sort()
  const [statement, parameters] =
    shapes.size > 1
      ? [insertMixedRecords(table, names), [text]]
      : [insertRecords(table, names), names.length ? [Array.isArray(body) ? text : `[${text}]`] : []]
  // Without values there is nothing to read the number of records from.
  const repeats = names.length === 0 ? bodies.length : 1
  try {
    const rows = repeats === 1 ? await db.query<Row>(statement, parameters) : await insertEmpty(db, statement, repeats)
    return rows.map(stored)
  } catch (error) {
    throw refusedWrite(error)
  }
}

const insertEmpty = (db: Db, statement: string, count: number) =>
  db.sql.begin(async (tx) => {
    const rows: Row[] = []
    for (let index = 0; index < count; index++) rows.push(...(await tx.unsafe<Row[]>(statement)))
    return rows
  })

/**
 * Changes the columns that the body names. `versions` (from If-Match) are the only ones that may be replaced; null for any.
 * @throws Failure not_found, precondition_failed with the current record, validation_failed, conflict
 */
export async function updateRecord(
  db: Db,
  table: Table,
  key: string[],
  body: RecordBody,
  text: string,
  versions: string[] | null,
): Promise<StoredRecord> {
  const problems = bodyProblems(table, body, '').concat(keyChangeProblems(table, body))
  if (problems.length) throw validationFailed(problems)
  const names = Object.keys(body).sort()
  if (names.length === 0) return unchanged(await getRecord(db, table, key), versions)
  try {
    const [row] = await db.query<Row>(updateByKey(table, names), [`[${text}]`, ...key, versions && arrayLiteral(versions)])
    return row ? stored(row) : await explainMiss(db, table, key)
  } catch (error) {
    throw refusedWrite(error)
  }
}

/** @throws Failure not_found, precondition_failed with the current record, conflict */
export async function deleteRecord(db: Db, table: Table, key: string[], versions: string[] | null): Promise<void> {
  try {
    const rows = await db.query(deleteByKey(table), [...key, versions && arrayLiteral(versions)])
    if (rows.length === 0) await explainMiss(db, table, key)
  } catch (error) {
    throw refusedWrite(error)
  }
}

/** Row versions are digits only (`allowedVersions`), so nothing needs quoting. */
const arrayLiteral = (versions: string[]) => `{${versions.join(',')}}`

function unchanged(record: StoredRecord, versions: string[] | null): StoredRecord {
  if (versions && !versions.includes(record.version)) throw preconditionFailed(record.json)
  return record
}

async function explainMiss(db: Db, table: Table, key: string[]): Promise<never> {
  throw preconditionFailed((await getRecord(db, table, key)).json)
}

function newRecordProblems(table: Table, body: RecordBody, path: string): Problem[] {
  const counted = table.columns.filter((column) => isCounted(column) && Object.hasOwn(body, column.name))
  const absent = table.columns.filter(
    (column) => column.required && !isGenerated(column) && column.default === null && !Object.hasOwn(body, column.name),
  )
  return [
    ...bodyProblems(table, body, path),
    ...counted.map(({ name }) => problemAt(path, name, 'is counted by the database and cannot be chosen')),
    ...absent.map(({ name }) => problemAt(path, name, 'is required')),
  ]
}

const keyChangeProblems = (table: Table, body: RecordBody): Problem[] =>
  table.columns
    .filter((column) => isGenerated(column) && Object.hasOwn(body, column.name))
    .map(({ name }) => problemAt('', name, 'is the key of the record and cannot be changed'))

function bodyProblems(table: Table, body: RecordBody, path: string): Problem[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const column = table.columns.find((candidate) => candidate.name === name)
    if (!column) return [unknownColumn(table, name, path)]
    if (value === null) return column.required ? [problemAt(path, name, 'is required and cannot be null')] : []
    const problem = columnTypes[column.type].problem(value, column.options) ?? unreachableKeyProblem(table, name, value)
    return problem ? [problemAt(path, name, problem)] : []
  })
}

/** RFC 3986 section 5.2.4: every client takes `.` and `..` out of a path, and an empty segment is the list's address. */
const unreachableKeyProblem = ({ primaryKey }: Table, name: string, value: unknown): string | null =>
  primaryKey.length === 1 && primaryKey[0] === name && ['', '.', '..'].includes(value as string)
    ? 'cannot be empty, "." or "..", since no address could name such a record'
    : null

function unknownColumn(table: Table, name: string, path: string): Problem {
  const similar = nearest(
    name,
    table.columns.map((column) => column.name),
  )
  return problemAt(
    path,
    name,
    similar === undefined ? 'is not a column of this table' : `is not a column of this table; did you mean "${similar}"?`,
  )
}

const problemAt = (path: string, name: string, message: string): Problem => ({
  path: `${path}/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`,
  message,
})
