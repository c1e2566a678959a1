import { type CachedIdentity, requireVerified } from '../../auth/identity/identity-check'
import type { Db, Query } from '../../db/open'
import { alreadyExists, Failure, invalidRequest, notFound, preconditionFailed } from '../../errors'
import type { Tables } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'
import type { RecordBody } from '../model'
import { isBare } from '../query/parameters'
import { planRead, wholePlan, withKey } from '../query/plan/read'
import type { LevelPlan } from '../query/plan/types'
import { recordByKey } from '../query/sql/keys'
import { pageStatement } from '../query/sql/read'
import { readWeighed } from '../query/sql/weight'
import type { RecordQuery } from '../query/tree'
import { changeTogether, createTogether } from './batched-writes'
import { isDataException, throwReadFailure, throwWriteFailure, toRuleFailure } from './errors'
import { entityTag, hashOf } from './etag'
import { run, runProving } from './execute'
import { type Row, readerOf, type StoredRecord, stored } from './reader'
import { requireReadable, requireWritable } from './rights'
import { deleteRows, insertRows, isWrittenInSteps, updateRows, type WrittenRow } from './row-writes'
import { writing } from './transaction'
import { checkChange, checkNewRecords, checkReplacement } from './validation'

/**
 * Who writes (null for the service itself) and how sure that is, what they may reach, and what they want to see of it.
 */
export type Writer = {
  tables: Tables
  userId: string | null
  presumed?: CachedIdentity
  isDryRun?: boolean
  isMinimal?: boolean
  query?: RecordQuery
}

/** `key` are the parts of the record's key; `isNew` is for a replacement. */
export type WrittenRecord = StoredRecord & { key: string[]; isNew: boolean }

const noRecord = () => notFound('There is no record with this key.')

/** @throws Failure not_found, conflict, forbidden */
export async function getRecord(db: Db, table: Table, key: readonly string[], presumed?: CachedIdentity): Promise<StoredRecord> {
  requireReadable(table)
  const record = await readerOf(db, table)(key, presumed).catch(noRecordFor)
  if (!record) throw noRecord()
  return record
}

/** A key of a type that only PostgreSQL knows may turn out to be none. */
function noRecordFor(error: unknown): never {
  if (error instanceof Failure) throw error
  if (isDataException(error)) throw noRecord()
  throwReadFailure(error)
}

/** A record as the query selects it: its version is a hash of the answer. */
export async function selectRecord(
  db: Db,
  tables: Tables,
  table: Table,
  key: readonly string[],
  query: RecordQuery,
  presumed?: CachedIdentity,
): Promise<StoredRecord> {
  requireReadable(table)
  const planned = planRead(tables, table, query)
  if (planned.isAggregated) throw invalidRequest('One record has no aggregates.')
  const plan = withKey(planned, key)
  const [row] = await readWeighed(plan, (isQuick) =>
    runProving<{ body: string | null }>(db.query, table, pageStatement(plan, { isQuick }), presumed ? [presumed] : []),
  ).catch((error) => throwReadFailure(error, plan))
  if (!row?.body) throw noRecord()
  return { json: row.body, version: hashOf(row.body) }
}

/** What is answered of written records. */
export function answerPlan(table: Table, { tables, isMinimal, query }: Writer): LevelPlan | undefined {
  if (isMinimal) return undefined
  if (!query || isBare(query)) return wholePlan(table)
  const plan = planRead(tables, table, { ...query, filters: [], order: [], limit: undefined, search: undefined })
  if (plan.isAggregated) throw invalidRequest('What is written has no aggregates.', 'Ask for them with a GET.')
  return plan
}

const returning = (table: Table, writer: Writer) => ({
  plan: answerPlan(table, writer),
  hasKey: table.primaryKey.length > 0,
  hasVersion: true,
})

const written = ({ query }: Writer, { record = '', version = '', key = '[]', isNew = false }: WrittenRow): WrittenRecord => ({
  json: record,
  version: query && !isBare(query) ? hashOf(record) : version,
  key: JSON.parse(key),
  isNew,
})

/**
 * All or nothing. What a record does not name gets its column's default.
 * @param text the JSON as it was sent: PostgreSQL reads the values from it, so that numbers keep all their digits
 * @throws Failure validation_failed, conflict, forbidden, invalid_request
 */
export async function createRecords(db: Db, writer: Writer, table: Table, body: RecordBody | RecordBody[], text: string) {
  const names = checkedNames(table, body, text)
  if (!Array.isArray(body) && isShareable(writer, table, names)) {
    const { userId, presumed } = writer
    const row = await createTogether(db, { table, names, body, text, userId, presumed, returning: returning(table, writer) }).catch(
      refuse(table),
    )
    return [written(writer, row ?? leftOut())]
  }
  requireVerified(writer.presumed)
  // Of several records a trigger may leave some out, which is known behind the statement only.
  const isSeveral = (Array.isArray(body) && body.length > 1) || isWrittenInSteps(table, names, true)
  return writing(db, { isDryRun: writer.isDryRun, isSeveral }, (query) => insertBodies(query, writer, table, body, text, names)).catch(
    refuse(table),
  )
}

/** Whether it may share a statement with other requests' writes, and be written under a condition. */
const isShareable = ({ isDryRun, query }: Writer, table: Table, names: readonly string[]) =>
  !isDryRun && !table.actsOnStatements && (!query || isBare(query)) && names.length > 0 && !isWrittenInSteps(table, names, true)

const refuse = (table: Table) => (error: unknown) => throwWriteFailure(error, table)

function leftOut(): never {
  throw toRuleFailure()
}

/** As `createRecords`, among other writes. */
export const createRecordsIn = (query: Query, writer: Writer, table: Table, body: RecordBody | RecordBody[], text: string) =>
  insertBodies(query, writer, table, body, text, checkedNames(table, body, text))

function checkedNames(table: Table, body: RecordBody | RecordBody[], text: string): string[] {
  requireWritable(table, 'insert')
  checkNewRecords(table, body, text)
  return Array.isArray(body) ? [...new Set(body.flatMap((each) => Object.keys(each)))].sort() : Object.keys(body).sort()
}

async function insertBodies(query: Query, writer: Writer, table: Table, body: RecordBody | RecordBody[], text: string, names: string[]) {
  const bodies = Array.isArray(body) ? body : [body]
  const { rows } = await insertRows(query, {
    table,
    names,
    json: Array.isArray(body) ? text : `[${text}]`,
    isDefaultForMissing: bodies.some((each) => Object.keys(each).length < names.length),
    userId: writer.userId,
    returning: returning(table, writer),
  })
  // A trigger may leave rows out without a word.
  if (rows.length < bodies.length) leftOut()
  return rows.map((row) => written(writer, row))
}

/**
 * What a change is made under: with `versions` (from If-Match) these are the only ones that may be replaced; null for
 * any.
 */
export type Change = { key: readonly string[]; versions: string[] | null }

/**
 * Changes the columns that the body names.
 * @throws Failure not_found, precondition_failed with the current record, validation_failed, conflict, forbidden
 */
export async function updateRecord(db: Db, writer: Writer, table: Table, change: Change, body: RecordBody, text: string) {
  const names = Object.keys(body).sort()
  if (isShareable(writer, table, names)) return updateTogether(db, writer, table, change, body, text, names)
  requireVerified(writer.presumed)
  const options = { isDryRun: writer.isDryRun, isSeveral: isWrittenInSteps(table, names, false) }
  return writing(db, options, (query) => updateRecordIn(query, writer, table, change, body, text)).catch(refuse(table))
}

async function updateTogether(db: Db, writer: Writer, table: Table, change: Change, body: RecordBody, text: string, names: string[]) {
  requireWritable(table, 'update')
  checkChange(table, body, text)
  const { userId, presumed } = writer
  const sent = { ...change, table, names, body, text, userId, presumed, returning: returning(table, writer) }
  const row = await changeTogether(db, sent).catch(refuse(table))
  return row ? written(writer, row) : explainMiss(db.query, table, change).catch(refuse(table))
}

export async function updateRecordIn(query: Query, writer: Writer, table: Table, change: Change, body: RecordBody, text: string) {
  requireWritable(table, 'update')
  checkChange(table, body, text)
  const names = Object.keys(body).sort()
  if (names.length === 0) return unchanged(query, writer, table, change)
  const { rows } = await updateRows(query, {
    ...change,
    table,
    names,
    json: `[${text}]`,
    userId: writer.userId,
    returning: returning(table, writer),
  })
  return rows[0] ? written(writer, rows[0]) : explainMiss(query, table, change)
}

/** @throws Failure not_found, precondition_failed with the current record, conflict, forbidden */
export const deleteRecord = (db: Db, writer: Writer, table: Table, change: Change): Promise<void> =>
  writing(db, { isDryRun: writer.isDryRun }, (query) => deleteRecordIn(query, table, change)).catch(refuse(table))

export async function deleteRecordIn(query: Query, table: Table, change: Change): Promise<void> {
  requireWritable(table, 'delete')
  const { count } = await deleteRows(query, { ...change, table, returning: {} })
  if (count === 0) await explainMiss(query, table, change)
}

async function unchanged(query: Query, writer: Writer, table: Table, { key, versions }: Change): Promise<WrittenRecord> {
  const current = await currentRecord(query, table, key)
  if (versions && !versions.includes(current.version)) throw preconditionFailed(current.json, entityTag(current.version))
  const [row] = await run<Row>(query, table, recordByKey(answerPlan(table, writer) ?? wholePlan(table), key))
  return written(writer, { ...row, key: JSON.stringify(key) })
}

/** A record that is there, in a version that may be replaced, was kept by a trigger or by row level security. */
async function explainMiss(query: Query, table: Table, { key, versions }: Change, isNewOnly = false): Promise<never> {
  const { json, version } = await currentRecord(query, table, key)
  if (isNewOnly) throw alreadyExists(json, entityTag(version))
  throw versions && !versions.includes(version) ? preconditionFailed(json, entityTag(version)) : toRuleFailure()
}

async function currentRecord(query: Query, table: Table, key: readonly string[], isLocked = false): Promise<StoredRecord> {
  const [row] = await run<Row>(query, table, recordByKey(wholePlan(table), key, isLocked)).catch(noRecordFor)
  if (!row) throw noRecord()
  return stored(row)
}

/**
 * `isNewOnly` is If-None-Match: *; only a record that is not there yet may be made. `isThereOnly` is If-Match: *, and
 * means the others.
 */
export type Replacement = Change & { isNewOnly: boolean; isThereOnly: boolean }

/**
 * Makes the record with this key, or replaces it whole: what the body does not name gets its column's default.
 * @throws Failure precondition_failed, validation_failed, conflict, forbidden
 */
export const replaceRecord = (db: Db, writer: Writer, table: Table, replacement: Replacement, body: RecordBody, text: string) =>
  writing(db, { isDryRun: writer.isDryRun, isSeveral: true }, (query) =>
    replaceRecordIn(query, writer, table, replacement, body, text),
  ).catch(refuse(table))

export async function replaceRecordIn(
  query: Query,
  writer: Writer,
  table: Table,
  replacement: Replacement,
  body: RecordBody,
  text: string,
) {
  const { key, versions, isNewOnly, isThereOnly } = replacement
  requireWritable(table, 'insert', 'update')
  holdToChoosableKey(table)
  checkReplacement(table, key, body, text)
  if (isThereOnly) await holdToPresence(query, table, key)
  if (versions) await holdToVersions(query, table, replacement)
  const { rows } = await insertRows(query, {
    table,
    names: [...new Set([...table.primaryKey, ...Object.keys(body), ...replaceableLinks(table)])].sort(),
    json: `[${withKeyParts(table, key, text)}]`,
    isDefaultForMissing: false,
    conflict: { columns: table.primaryKey, resolution: isNewOnly ? 'ignore' : 'merge', isReplaced: true },
    userId: writer.userId,
    returning: { ...returning(table, writer), hasNewness: true },
  })
  // Nothing was to be replaced, or a trigger left the record out.
  return rows[0] ? written(writer, rows[0]) : explainMiss(query, table, { key, versions }, isNewOnly).catch(refusedIfMissing)
}

/** Columns of links to many that the caller may write: those the body does not name become empty. */
const replaceableLinks = ({ columns }: Table): string[] =>
  columns.filter(({ joinTable, isWritable }) => joinTable && isWritable).map(({ name }) => name)

function refusedIfMissing(error: unknown): never {
  throw error instanceof Failure && error.kind === 'not_found' ? toRuleFailure() : error
}

/** @throws Failure invalid_request, for a key that only the database may choose */
function holdToChoosableKey({ name, primaryKey, columns }: Table): void {
  const isFixed = columns.some(
    ({ name: column, filledBy }) => primaryKey.includes(column) && (filledBy === 'identityAlways' || filledBy === 'generated'),
  )
  if (isFixed) {
    throw invalidRequest(`The database alone chooses the keys of "${name}", so PUT cannot.`, 'POST makes a record, PATCH changes one.')
  }
}

/** RFC 9110 section 13.1.1: `If-Match: *` is false where there is nothing yet. The row is locked as below. */
async function holdToPresence(query: Query, table: Table, key: readonly string[]): Promise<void> {
  const [row] = await run<Row>(query, table, recordByKey(wholePlan(table), key, true)).catch(noRecordFor)
  if (row) return
  throw new Failure('precondition_failed', 'There is no record with this key, and If-Match asks for one.', { details: { current: null } })
}

/** The row is locked until the end of the transaction, so nobody changes it in between. */
async function holdToVersions(query: Query, table: Table, change: Change): Promise<void> {
  const { version } = await currentRecord(query, table, change.key, true)
  // Read again, since who has waited for the lock has seen links as they were before.
  if (!change.versions?.includes(version)) await explainMiss(query, table, change)
}

/** The body's text with the key behind it: of a name that stands in an object twice, the last one counts. */
function withKeyParts({ primaryKey }: Table, key: readonly string[], text: string): string {
  const inside = text.trim().slice(1, -1).trim()
  const parts = primaryKey.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(key[index])}`)
  return `{${[...(inside ? [inside] : []), ...parts].join(',')}}`
}
