import type { CachedIdentity } from '../../auth/identity/identity-check'
import { toRuleFailure } from '../../db/errors'
import type { Executor, Query } from '../../db/pool/open'
import { alreadyExists, Failure, invalidRequest, notFound, preconditionFailed, validationFailed } from '../../errors'
import { translatable } from '../../messages/message'
import type { Tables } from '../../tables/catalog/catalog'
import { isStoredColumn } from '../../tables/computed-value'
import type { Table } from '../../tables/model'
import type { Payload, RecordBody } from '../model'
import { isBare } from '../query/parameters'
import { planRead, wholePlan, withKey } from '../query/plan/read'
import type { LevelPlan } from '../query/plan/types'
import { castKeyStatement, recordByKey } from '../query/sql/keys'
import { pageStatement } from '../query/sql/read'
import { readWeighed } from '../query/sql/weight'
import { sameKeyStatement } from '../query/sql/write'
import type { RecordQuery } from '../query/tree'
import { isDataException, throwReadFailure, throwWriteFailure } from './errors'
import { entityTag, hashOf } from './etag'
import { execute, executeVerified } from './execute'
import { pointerTo } from './pointer'
import { keyReaderOf, type RecordRow, type StoredRecord, toStoredRecord } from './reads/reader'
import { accessDenied, requireReadable, requireWritable } from './rights'
import { insertBatched, updateBatched } from './writes/batched-writes'
import { withDigits } from './writes/digits'
import { isReadAgain, readByKeys } from './writes/read-again'
import { deleteRows, insertRows, isWrittenInSteps, updateRows } from './writes/row-writes'
import { checkChange, checkNewRecords, checkReplacement } from './writes/validation'
import { isBatchable, writeAlone } from './writes/write-route'
import type { WrittenRow } from './writes/written-row'

/** The user who writes (null for the service itself), the tables that they may access, and the requested response. */
export type RecordWriter = {
  tables: Tables
  userId: string | null
  identity?: CachedIdentity | undefined
  isDryRun?: boolean
  isMinimal?: boolean
  query?: RecordQuery
}

/** `key` are the parts of the record's key; `isNew` is for a replacement. */
export type WrittenRecord = StoredRecord & { key: string[]; isNew: boolean }

const recordNotFound = () => notFound(translatable('There is no record with this key.'))

/** @throws Failure not_found, conflict, forbidden */
export async function getRecord(
  executor: Executor,
  table: Table,
  key: readonly string[],
  identity?: CachedIdentity,
): Promise<StoredRecord> {
  requireReadable(table)
  const record = await keyReaderOf(executor, table)(key, identity).catch((error) => noRecordFor(table, error))
  if (!record) throw recordNotFound()
  return record
}

/** For a type that only PostgreSQL knows, the key may turn out to be invalid: no record has it then. */
function noRecordFor({ columns }: Table, error: unknown): never {
  if (error instanceof Failure) throw error
  // A computed value may also cause the exception.
  if (isDataException(error) && columns.every(isStoredColumn)) throw recordNotFound()
  throwReadFailure(error)
}

/**
 * For some types, only PostgreSQL can find out whether a text is a key. In a statement with other values, its error
 * would not show which of them is invalid.
 * @throws Failure not_found
 */
async function requirePossibleKey(query: Query, table: Table, key: readonly string[]): Promise<void> {
  if (!table.columns.some(({ name, type }) => type === 'other' && table.primaryKey.includes(name))) return
  await execute(query, table, castKeyStatement(table, key)).catch((error) => {
    if (isDataException(error)) throw recordNotFound()
    throwReadFailure(error)
  })
}

/** A record as the query selects it: its version is a hash of the response. */
export async function selectRecord(
  executor: Executor,
  tables: Tables,
  table: Table,
  key: readonly string[],
  query: RecordQuery,
  identity?: CachedIdentity,
): Promise<StoredRecord> {
  requireReadable(table)
  const planned = planRead(tables, table, query)
  if (planned.isAggregated) throw invalidRequest(translatable('Aggregates do not work on a single record.'))
  const plan = withKey(planned, key)
  await requirePossibleKey(executor.query, table, key)
  const [row] = await readWeighed(plan, (isQuick) =>
    executeVerified<{ body: string | null }>(executor.query, table, pageStatement(plan, { isQuick }), identity ? [identity] : []),
  ).catch((error) => throwReadFailure(error, plan))
  if (!row?.body) throw recordNotFound()
  return { json: row.body, version: hashOf(row.body) }
}

/** The plan of the response to a write; undefined for a minimal one. */
export function answerPlan(table: Table, { tables, isMinimal, query }: RecordWriter): LevelPlan | undefined {
  if (isMinimal) return undefined
  if (!query || isBare(query)) return wholePlan(table)
  const plan = planRead(tables, table, { ...query, filters: [], order: [], limit: undefined, search: undefined })
  if (plan.isAggregated) throw invalidRequest(translatable('Aggregates do not work on writes.'), translatable('Request them with GET.'))
  return plan
}

const returning = (table: Table, writer: RecordWriter) => ({
  plan: answerPlan(table, writer),
  hasKey: table.primaryKey.length > 0,
  hasVersion: true,
})

const toWrittenRecord = ({ query }: RecordWriter, { record = '', version = '', key = '[]', isNew = false }: WrittenRow): WrittenRecord => ({
  json: record,
  version: query && !isBare(query) ? hashOf(record) : version,
  key: JSON.parse(key),
  isNew,
})

/**
 * Creates all records, or no record. A column that a record omits gets its default.
 * @throws Failure validation_failed, conflict, forbidden, invalid_request
 */
export async function createRecords(executor: Executor, writer: RecordWriter, table: Table, payload: Payload): Promise<WrittenRecord[]> {
  const { records, json } = payload
  requireWritable(table, 'insert')
  checkNewRecords(table, payload)
  const bodies = Array.isArray(records) ? records : [records]
  const names = [...new Set(bodies.flatMap((body) => Object.keys(body)))].sort()
  if (!Array.isArray(records) && canBatchRecord(executor, writer, table, names, true)) {
    const row = await insertBatched(executor, { ...sharedWrite(writer, table, names), json }).catch(rethrow(table))
    return [toWrittenRecord(writer, row ?? throwLeftOut())]
  }
  const asked = returning(table, writer)
  // A trigger may skip some of several records, which is known only after the statement.
  const needsTransaction = bodies.length > 1 || isWrittenInSteps(table, names, true) || isReadAgain(table, asked)
  return writeAlone(executor, { ...writer, needsTransaction }, async ({ query }) => {
    const { rows } = await insertRows(query, {
      table,
      names,
      json: Array.isArray(records) ? json : `[${json}]`,
      isDefaultForMissing: bodies.some((body) => Object.keys(body).length < names.length),
      userId: writer.userId,
      returning: asked,
    })
    // A trigger may skip rows without an error.
    if (rows.length < bodies.length) throwLeftOut()
    return rows.map((row) => toWrittenRecord(writer, row))
  }).catch(rethrow(table))
}

/**
 * Refreshes records that earlier statements of the transaction wrote, if some of their values come from other records.
 * A record that no longer exists, or that the caller may no longer read, keeps its values.
 * @param records by their keys, as JSON arrays
 */
export async function refreshRecords(
  { query }: Executor,
  writer: RecordWriter,
  table: Table,
  records: ReadonlyMap<string, WrittenRecord>,
): Promise<void> {
  const { plan, hasVersion } = returning(table, writer)
  if (records.size === 0 || !plan || !isReadAgain(table, { plan, hasVersion })) return
  const current = await readByKeys(query, table, plan, [...records.keys()])
  for (const [place, record] of [...records.values()].entries()) Object.assign(record, current.get(place))
}

const canBatchRecord = (executor: Executor, { isDryRun, query }: RecordWriter, table: Table, names: readonly string[], isInsert: boolean) =>
  (!query || isBare(query)) && isBatchable(executor, { table, names, isInsert, isDryRun })

const sharedWrite = (writer: RecordWriter, table: Table, names: readonly string[]) => ({
  table,
  names,
  userId: writer.userId,
  identity: writer.identity,
  returning: returning(table, writer),
})

const rethrow = (table: Table) => (error: unknown) => throwWriteFailure(error, table)

function throwLeftOut(): never {
  throw toRuleFailure()
}

/**
 * The key of the record to change, and the only versions that may be replaced (`versions`, from If-Match; null for any
 * version).
 */
export type RecordChange = { key: readonly string[]; versions: string[] | null }

/**
 * Changes the columns that the body names.
 * @throws Failure not_found, precondition_failed with the current record, validation_failed, conflict, forbidden
 */
export async function updateRecord(
  executor: Executor,
  writer: RecordWriter,
  table: Table,
  change: RecordChange,
  payload: Payload<RecordBody>,
): Promise<WrittenRecord> {
  const { json } = payload
  requireWritable(table, 'update')
  checkChange(table, payload)
  await requirePossibleKey(executor.query, table, change.key)
  const names = Object.keys(payload.records).sort()
  const toRecord = async (query: Query, row: WrittenRow | undefined) =>
    row ? toWrittenRecord(writer, row) : throwUpdateMiss(query, table, change)
  if (canBatchRecord(executor, writer, table, names, false)) {
    const row = await updateBatched(executor, { ...sharedWrite(writer, table, names), ...change, json }).catch(rethrow(table))
    return toRecord(executor.query, row).catch(rethrow(table))
  }
  const asked = returning(table, writer)
  const options = { ...writer, needsTransaction: isWrittenInSteps(table, names, false) || isReadAgain(table, asked) }
  return writeAlone(executor, options, async ({ query }) => {
    if (names.length === 0) return unchanged(query, writer, table, change)
    const { userId } = writer
    const { rows } = await updateRows(query, { ...change, table, names, json: `[${json}]`, userId, returning: asked })
    return toRecord(query, rows[0])
  }).catch(rethrow(table))
}

/** @throws Failure not_found, precondition_failed with the current record, conflict, forbidden */
export async function deleteRecord(executor: Executor, writer: RecordWriter, table: Table, change: RecordChange): Promise<void> {
  requireWritable(table, 'delete')
  await requirePossibleKey(executor.query, table, change.key)
  await writeAlone(executor, writer, async ({ query }) => {
    const { count } = await deleteRows(query, { ...change, table, returning: {} })
    if (count === 0) await throwUpdateMiss(query, table, change, { action: 'delete' })
  }).catch(rethrow(table))
}

async function unchanged(query: Query, writer: RecordWriter, table: Table, { key, versions }: RecordChange): Promise<WrittenRecord> {
  const current = await currentRecord(query, table, key)
  if (versions && !versions.includes(current.version)) throw preconditionFailed(current.json, entityTag(current.version))
  const [row] = await execute<RecordRow>(query, table, recordByKey(answerPlan(table, writer) ?? wholePlan(table), key))
  return toWrittenRecord(writer, { ...row, key: JSON.stringify(key) })
}

/**
 * Throws the reason. If the record exists in a version that may be replaced, an access rule, a trigger or row level
 * security has prevented the change.
 */
async function throwUpdateMiss(
  query: Query,
  table: Table,
  { key, versions }: RecordChange,
  { isNewOnly = false, action = 'update' }: { isNewOnly?: boolean; action?: 'update' | 'delete' } = {},
): Promise<never> {
  const { json, version } = await currentRecord(query, table, key)
  if (isNewOnly) throw alreadyExists(json, entityTag(version))
  if (versions && !versions.includes(version)) throw preconditionFailed(json, entityTag(version))
  throw table.access ? accessDenied(table, action) : toRuleFailure()
}

async function currentRecord(query: Query, table: Table, key: readonly string[], isLocked = false): Promise<StoredRecord> {
  const [row] = await execute<RecordRow>(query, table, recordByKey(wholePlan(table), key, isLocked)).catch((error) =>
    noRecordFor(table, error),
  )
  if (!row) throw recordNotFound()
  return toStoredRecord(row)
}

/**
 * `isNewOnly` is If-None-Match: *, which only allows creating the record; `isThereOnly` is If-Match: *, which only
 * allows replacing it.
 */
export type Replacement = RecordChange & { isNewOnly: boolean; isThereOnly: boolean }

/**
 * Creates the record with this key, or replaces it completely: a column that the body omits gets its default.
 * @throws Failure precondition_failed, validation_failed, conflict, forbidden
 */
export async function replaceRecord(
  executor: Executor,
  writer: RecordWriter,
  table: Table,
  replacement: Replacement,
  payload: Payload<RecordBody>,
): Promise<WrittenRecord> {
  const { key, versions, isNewOnly, isThereOnly } = replacement
  requireWritable(table, 'insert', 'update')
  requireChoosableKey(table)
  checkReplacement(table, payload)
  await requirePossibleKey(executor.query, table, key)
  return writeAlone(executor, { ...writer, needsTransaction: true }, async ({ query }) => {
    await requireSameKey(query, table, key, payload.json)
    if (isThereOnly) await requirePresence(query, table, key)
    if (versions) await requireVersion(query, table, replacement)
    const { rows } = await insertRows(query, {
      table,
      names: [...new Set([...table.primaryKey, ...Object.keys(payload.records), ...replaceableLinks(table)])].sort(),
      json: `[${withKeyParts(table, key, payload.json)}]`,
      isDefaultForMissing: false,
      conflict: { columns: table.primaryKey, resolution: isNewOnly ? 'ignore' : 'merge', isReplaced: true },
      userId: writer.userId,
      returning: { ...returning(table, writer), hasNewness: true },
    })
    // Without a row, a record with this key exists and must not be replaced, or the write was suppressed.
    return rows[0]
      ? toWrittenRecord(writer, rows[0])
      : throwUpdateMiss(query, table, { key, versions }, { isNewOnly }).catch((error) => throwLeftOutRecord(table, error))
  }).catch(rethrow(table))
}

/**
 * The columns of links to many that the caller may write, which become empty if the body omits them. The other sides of
 * links are left out, since they are values of other records.
 */
const replaceableLinks = ({ columns }: Table): string[] =>
  columns.filter(({ type, isWritable }) => type === 'manyLinks' && isWritable).map(({ name }) => name)

/** The record exists, but the caller may not change it, or a trigger suppressed the write. */
function throwLeftOutRecord(table: Table, error: unknown): never {
  if (!(error instanceof Failure) || error.kind !== 'not_found') throw error
  throw table.access ? accessDenied(table, 'update') : toRuleFailure()
}

/** @throws Failure invalid_request, for a key that only the database may choose */
function requireChoosableKey({ name, primaryKey, columns }: Table): void {
  const isFixed = columns.some(
    ({ name: column, filledBy }) => primaryKey.includes(column) && (filledBy === 'identityAlways' || filledBy === 'generated'),
  )
  if (isFixed) {
    throw invalidRequest(
      translatable('The database generates the keys of "{name}", so PUT cannot set them.', { name }),
      translatable('POST creates a record, PATCH changes one.'),
    )
  }
}

/**
 * PostgreSQL compares the parts that differ as text: 1.5 and 1.50 are the same key, and JavaScript would round long
 * numbers.
 * @throws Failure validation_failed
 */
async function requireSameKey(query: Query, table: Table, key: readonly string[], json: string): Promise<void> {
  const body = withDigits(json) as RecordBody
  const names = table.primaryKey.filter((name, index) => Object.hasOwn(body, name) && String(body[name]) !== key[index])
  if (names.length === 0) return
  const [row] = await execute<Record<string, boolean>>(query, table, sameKeyStatement(table, key, names, json))
  const others = names.filter((name) => !row?.[name])
  if (others.length === 0) return
  throw validationFailed(others.map((name) => ({ path: pointerTo('', name), message: translatable('is not the key in the path') })))
}

/** RFC 9110 section 13.1.1: `If-Match: *` is false if no record exists yet. The row is locked as below. */
async function requirePresence(query: Query, table: Table, key: readonly string[]): Promise<void> {
  const [row] = await execute<RecordRow>(query, table, recordByKey(wholePlan(table), key, true)).catch((error) => noRecordFor(table, error))
  if (row) return
  throw new Failure('precondition_failed', translatable('There is no record with this key, and If-Match requires one.'), {
    details: { current: null },
  })
}

/** Locks the row until the end of the transaction, so that it cannot change in between. */
async function requireVersion(query: Query, table: Table, change: RecordChange): Promise<void> {
  const { version } = await currentRecord(query, table, change.key, true)
  // Reads the record again: a statement that waited for the lock saw the links as of its start.
  if (!change.versions?.includes(version)) await throwUpdateMiss(query, table, change)
}

/** The body's text with the key appended: the last of duplicate names in an object wins. */
function withKeyParts({ primaryKey }: Table, key: readonly string[], text: string): string {
  const inside = text.trim().slice(1, -1).trim()
  const parts = primaryKey.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(key[index])}`)
  return `{${[...(inside ? [inside] : []), ...parts].join(',')}}`
}
