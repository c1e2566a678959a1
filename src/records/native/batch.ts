import type { Actor } from '../../auth/identity/actor'
import type { Executor } from '../../db/pool/open'
import { Failure, invalidRequest, validationFailed } from '../../errors'
import { exactJson } from '../../exact-json'
import { translatable } from '../../messages/message'
import { type Catalog, findTable, getTable, type Tables, tablesFor } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'
import type { Batch, Operation, RecordBody } from '../model'
import { throwWriteFailure } from '../store/errors'
import { allowedVersions, entityTag, isWildcard } from '../store/etag'
import { readKey } from '../store/key'
import {
  createRecords,
  deleteRecord,
  type RecordWriter,
  refreshRecords,
  replaceRecord,
  updateRecord,
  type WrittenRecord,
} from '../store/service'
import { runAtomically } from '../store/writes/transaction'

/** `body` is JSON text. */
export type Result = { status: number; body?: string; etag?: string }

/** The result of an operation. Without records it was a deletion. */
type Done = { table: Table; status: number; records?: WrittenRecord[]; isList?: boolean }

/**
 * Runs all operations in one transaction, in order; each sees the changes of earlier ones.
 * @param text the batch as it was sent, for the digits of its numbers
 * @throws Failure of the first operation that fails, with its index in `details.index`: nothing is changed then
 */
export async function runBatch(
  executor: Executor,
  catalog: Catalog,
  actor: Actor,
  batch: Batch,
  text: string,
  isDryRun?: boolean,
): Promise<Result[]> {
  const exact = (exactJson(text) as { operations: { body?: unknown }[] }).operations
  const tables = await tablesFor(catalog, actor)
  const writer: RecordWriter = { tables, userId: actor.user.id }
  const targets = await Promise.all(batch.operations.map(({ table }, index) => at(index, () => getTable(catalog, actor, table))))
  // An error that only the commit detects belongs to no single operation.
  return runAtomically(executor, { isDryRun, needsTransaction: true }, async (inside) => {
    const done: Done[] = []
    for (const [index, operation] of batch.operations.entries()) {
      const body = exact[index]!.body
      const json = body === undefined ? '' : JSON.stringify(body)
      done.push(await at(index, () => runOperation(inside, writer, targets[index]!, operation, json)))
    }
    if (done.length > 1) await readLast(inside, writer, done)
    return done.map(toResult)
  }).catch((error) => throwWriteFailure(error, ...writtenTables(tables, batch)))
}

/** The tables that a batch writes, as the caller may use them. */
export const writtenTables = (tables: Tables, { operations }: Batch): Table[] => [
  ...new Set(operations.flatMap(({ table }) => findTable(tables, table) ?? [])),
]

/** Adds the operation's index to a failure. */
async function at<Value>(index: number, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { details, errors } = error.extras
    const placed = errors?.map(({ path, message }) => ({ path: `/operations/${index}/body${path}`, message }))
    const failure = new Failure(error.kind, error.text, { ...error.extras, errors: placed, details: { ...details, index } })
    throw Object.assign(failure, { cause: error.cause })
  }
}

/**
 * A later operation may have changed records that earlier results contain: the last result for a record equals a GET.
 */
async function readLast(executor: Executor, writer: RecordWriter, done: readonly Done[]): Promise<void> {
  const written = Map.groupBy(done, ({ table }) => table)
  for (const [table, ofTable] of written) {
    const last = new Map(ofTable.flatMap(({ records = [] }) => records.map((record) => [JSON.stringify(record.key), record] as const)))
    await refreshRecords(executor, writer, table, last)
  }
}

const toResult = ({ status, records, isList }: Done): Result => {
  if (!records) return { status }
  const [first] = records as [WrittenRecord]
  return isList
    ? { status, body: `[${records.map(({ json }) => json).join(',')}]` }
    : { status, body: first.json, etag: entityTag(first.version) }
}

async function runOperation(executor: Executor, writer: RecordWriter, table: Table, operation: Operation, json: string): Promise<Done> {
  const { method } = operation
  if (operation.ifNoneMatch && method !== 'PUT')
    throw invalidRequest(
      translatable('{method} does not accept "ifNoneMatch".', { method }),
      translatable('PUT does: it creates a record with a key.'),
    )
  if (method === 'POST') {
    const body = createBody(operation)
    const records = await createRecords(executor, writer, table, { records: body, json })
    return { table, status: 201, records, isList: Array.isArray(body) }
  }
  const change = { key: operationKey(table, operation), versions: allowedVersions(operation.ifMatch ?? null) }
  if (method === 'DELETE') {
    await deleteRecord(executor, writer, table, change)
    return { table, status: 204 }
  }
  const payload = { records: singleBody(operation), json }
  if (method === 'PATCH') return { table, status: 200, records: [await updateRecord(executor, writer, table, change, payload)] }
  const replacement = { ...change, isNewOnly: operation.ifNoneMatch !== undefined, isThereOnly: isWildcard(operation.ifMatch ?? null) }
  const replaced = await replaceRecord(executor, writer, table, replacement, payload)
  return { table, status: replaced.isNew ? 201 : 200, records: [replaced] }
}

function operationKey(table: Table, { pk, method }: Operation): string[] {
  if (pk === undefined) throw invalidRequest(translatable('{method} needs "pk", the key of the record.', { method }))
  return readKey(table, pk)
}

function createBody({ body, pk, ifMatch }: Operation) {
  if (pk !== undefined || ifMatch !== undefined)
    throw invalidRequest(translatable('POST accepts neither "pk" nor "ifMatch".'), translatable('PUT creates a record with a key.'))
  return body ?? throwMissing()
}

function singleBody({ body }: Operation): RecordBody {
  if (Array.isArray(body)) throw validationFailed([{ path: '', message: translatable('must be one record') }])
  return body ?? throwMissing()
}

function throwMissing(): never {
  throw validationFailed([{ path: '', message: translatable('is missing') }])
}
