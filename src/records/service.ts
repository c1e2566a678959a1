import type { Db } from '../db/open'
import { invalidRequest, notFound, preconditionFailed } from '../errors'
import type { Table } from '../tables/model'
import { entityTag } from './etag'
import { refusedRead, refusedWrite } from './failures'
import { isKeyPart } from './key'
import { defaultLimit, type Page, type RecordBody } from './model'
import { checkChange, checkNewRecords } from './problems'
import { deleteByKey, insertEmptyRecords, insertMixedRecords, insertRecords, selectPage, updateByKey } from './query/sql'
import { type Row, readerOf, type StoredRecord, stored } from './reader'
import { shaped } from './shapes'

const insert = shaped(insertRecords)
const insertMixed = shaped(insertMixedRecords)
const update = shaped(updateByKey)

/** @throws Failure not_found, conflict */
export async function getRecord(db: Db, table: Table, key: string[]): Promise<StoredRecord> {
  const record = await readerOf(db, table)(key).catch(refusedRead)
  if (!record) throw notFound('There is no record with this key.')
  return record
}

type PageRow = { records: string; has_more: boolean; last_key: string }

/**
 * A page in the order of the key. @returns the records as a JSON array, and where the next page begins
 * @throws Failure invalid_request, not_found, conflict
 */
export async function listRecords(
  db: Db,
  table: Table,
  { limit = defaultLimit, cursor }: Page,
): Promise<{ json: string; nextCursor: string | null }> {
  const after = cursor === undefined ? [] : readCursor(table, cursor)
  const statement = selectPage(table, after.length > 0)
  const [row] = await db.query<PageRow>(statement, [String(limit), ...after]).catch(refusedRead)
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
  checkNewRecords(table, body, text)
  try {
    return (await insertBodies(db, table, Array.isArray(body) ? body : [body], Array.isArray(body) ? text : `[${text}]`)).map(stored)
  } catch (error) {
    refusedWrite(error)
  }
}

/** @param text the bodies as a JSON array */
function insertBodies(db: Db, table: Table, bodies: RecordBody[], text: string): Promise<Row[]> {
  const names = [...new Set(bodies.flatMap((body) => Object.keys(body)))].sort()
  // Without values there is nothing to read the number of records from.
  if (names.length === 0) return db.query<Row>(insertEmptyRecords(table), [String(bodies.length)])
  const isMixed = bodies.some((body) => Object.keys(body).length < names.length)
  const { statement, prepare } = (isMixed ? insertMixed : insert)(table, names)
  return db.query<Row>(statement, [text], { prepare })
}

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
  checkChange(table, body, text)
  const names = Object.keys(body).sort()
  if (names.length === 0) return unchanged(await getRecord(db, table, key), versions)
  try {
    const { statement, prepare } = update(table, names)
    const [row] = await db.query<Row>(statement, [`[${text}]`, ...key, versions && arrayLiteral(versions)], { prepare })
    return row ? stored(row) : await explainMiss(db, table, key)
  } catch (error) {
    refusedWrite(error)
  }
}

/** @throws Failure not_found, precondition_failed with the current record, conflict */
export async function deleteRecord(db: Db, table: Table, key: string[], versions: string[] | null): Promise<void> {
  try {
    const rows = await db.query(deleteByKey(table), [...key, versions && arrayLiteral(versions)])
    if (rows.length === 0) await explainMiss(db, table, key)
  } catch (error) {
    refusedWrite(error)
  }
}

/** Row versions are digits only (`allowedVersions`), so nothing needs quoting. */
const arrayLiteral = (versions: string[]) => `{${versions.join(',')}}`

function unchanged(record: StoredRecord, versions: string[] | null): StoredRecord {
  if (versions && !versions.includes(record.version)) throw preconditionFailed(record.json, entityTag(record.version))
  return record
}

async function explainMiss(db: Db, table: Table, key: string[]): Promise<never> {
  const { json, version } = await getRecord(db, table, key)
  throw preconditionFailed(json, entityTag(version))
}
