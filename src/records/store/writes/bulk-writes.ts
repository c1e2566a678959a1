import { sqlState } from '../../../db/errors'
import type { Executor } from '../../../db/pool/open'
import { Failure, invalidRequest } from '../../../errors'
import { translatable } from '../../../messages/message'
import type { Table } from '../../../tables/model'
import { mostRecords, type Payload, type RecordBody } from '../../model'
import { planRead } from '../../query/plan/read'
import type { ReadPlan } from '../../query/plan/types'
import type { Returning } from '../../query/sql/write'
import type { RecordQuery } from '../../query/tree'
import { throwWriteFailure, toQueryFailure } from '../errors'
import { requireWritable } from '../rights'
import { answerPlan, type RecordWriter } from '../service'
import { deleteRows, tooManyAffected, updateRows, type Written } from './row-writes'
import { checkChange } from './validation'
import { writeAlone } from './write-route'

/** `records` (JSON texts) is present only when the caller asked for a representation. */
export type Affected = { affected: number; records?: string[] }

type BulkWriter = RecordWriter & { query: RecordQuery; isRepresented: boolean }

/**
 * Changes every record that meets the filter, or none.
 * @throws Failure invalid_request without a filter, max_affected_exceeded, validation_failed, conflict, forbidden
 */
export function updateRecords(executor: Executor, writer: BulkWriter, table: Table, payload: Payload<RecordBody>): Promise<Affected> {
  requireWritable(table, 'update')
  const plan = filterPlan(writer, table)
  checkChange(table, payload)
  const names = Object.keys(payload.records).sort()
  if (names.length === 0) throw invalidRequest(translatable('The body names no column, so there is nothing to change.'))
  const change = { table, condition: plan.condition, names, json: `[${payload.json}]`, userId: writer.userId }
  return bulk(executor, writer, plan, ({ query }) => updateRows(query, { ...change, returning: answered(table, writer) }))
}

/** @throws Failure like `updateRecords` */
export function deleteRecords(executor: Executor, writer: BulkWriter, table: Table): Promise<Affected> {
  requireWritable(table, 'delete')
  const plan = filterPlan(writer, table)
  return bulk(executor, writer, plan, ({ query }) =>
    deleteRows(query, { table, condition: plan.condition, returning: answered(table, writer) }),
  )
}

/** More than `mostRecords` are refused, and so not fetched. */
const answered = (table: Table, writer: BulkWriter): Returning => ({
  plan: answerPlan(table, { ...writer, isMinimal: !writer.isRepresented }),
  most: writer.isRepresented ? mostRecords : undefined,
})

/** A write without a filter would change all records. A filter is required, so that no omission can cause that. */
function filterPlan({ tables, query, isRepresented }: BulkWriter, table: Table): ReadPlan {
  rejectEmbeddedConditions(query, isRepresented)
  const plan = planRead(tables, table, { ...query, select: [{ kind: 'all' }], embedded: {} })
  if (plan.condition) return plan
  const [first = 'id'] = table.primaryKey
  throw invalidRequest(
    translatable('A filter is needed, since this would change all records.'),
    translatable('To address all records, send ?{first}=not.is.null', { first }),
  )
}

/**
 * In a list, `!inner` selects records, which a write would ignore. The other parameters of an embedding select embedded
 * records, and so only affect a response that contains them.
 * @throws Failure invalid_request
 */
function rejectEmbeddedConditions({ select, embedded }: RecordQuery, isRepresented: boolean): void {
  const isInner = select.some((item) => item.kind === 'embedding' && item.join === 'inner')
  if (!isInner && (isRepresented || Object.keys(embedded).length === 0)) return
  throw invalidRequest(
    translatable('Neither "!inner" nor a parameter of embedded records chooses the records to write.'),
    translatable('Write the condition as author(name)=eq.x.'),
  )
}

/** @throws Failure max_affected_exceeded, before anything is changed */
async function bulk(
  executor: Executor,
  writer: BulkWriter,
  plan: ReadPlan,
  write: (inside: Executor) => Promise<Written>,
): Promise<Affected> {
  const { maxAffected } = writer.query
  const most = writer.isRepresented ? Math.min(maxAffected ?? mostRecords, mostRecords) : maxAffected
  const options = { isDryRun: writer.isDryRun, needsTransaction: true, identity: writer.identity }
  return writeAlone(executor, options, async (inside) => {
    const { rows, count } = await write(inside)
    if (most !== undefined && count > most) throw tooManyAffected(count, most)
    return { affected: count, ...(writer.isRepresented ? { records: rows.map(({ record }) => record!) } : {}) }
  }).catch((error) => {
    // A wrong value may come from the filter or from the body, and PostgreSQL does not report which. A wrong operation
    // comes from the filter.
    const state = error instanceof Failure ? undefined : sqlState(error)
    throw (state && !state.startsWith('22') && toQueryFailure(state, plan, error)) || refusedWriteOf(error, plan.table)
  })
}

function refusedWriteOf(error: unknown, table: Table): unknown {
  try {
    return throwWriteFailure(error, table)
  } catch (failure) {
    return failure
  }
}
