import type { CachedIdentity } from '../../auth/identity/identity-check'
import type { Executor } from '../../db/pool/open'
import { allowsRead } from '../../tables/row-rules'
import { readWeighed } from '../query/sql/weight'
import { readPrepared } from '../store/reads/batched-reads'
import { countRows } from '../store/reads/count'
import { keyReaderOf } from '../store/reads/reader'
import { accessDenied } from '../store/rights'
import { throwRestError } from './errors/engine-errors'
import { throwRestFailure } from './errors/failure'
import { prepareQuery, type RecordQueryByKey, type RowsQuery } from './prepared-query'
import type { TableCall } from './request/call'
import { readStatement } from './sql'

/** `total` is the number of rows without limit and offset, if it was requested. */
export type Rows = { body: string; length: number; offset: number; total: number | undefined }

/** @throws RestFailure */
export async function readRows(executor: Executor, call: TableCall): Promise<Rows> {
  const { identity, media, table } = call
  try {
    if (!allowsRead(table)) throw accessDenied(table, 'read')
    const asked = prepareQuery(call)
    const rows = 'key' in asked ? await readByKey(executor, asked, identity) : await readPlanned(executor, asked, identity)
    if (media.form === 'object') requireSingle(rows.length)
    return rows
  } catch (error) {
    throwRestError(error)
  }
}

/**
 * Like `readRows`, for one record by its key; null for other queries.
 * @throws Failure, which only `readRows` converts to PostgREST's form
 */
export function readRow(executor: Executor, call: TableCall): Promise<Rows> | null {
  const asked = call.media.form === 'array' ? prepareQuery(call) : null
  return asked && 'key' in asked ? readByKey(executor, asked, call.identity) : null
}

/** @throws RestFailure PGRST116 (406) */
export function requireSingle(length: number): void {
  if (length !== 1)
    throwRestFailure(406, 'PGRST116', 'JSON object requested, multiple (or no) rows returned', `The result contains ${length} rows`)
}

type RestRow = { body: string; length: number }

async function readPlanned(executor: Executor, { read }: RowsQuery, identity: CachedIdentity | undefined): Promise<Rows> {
  const { plan, count, media } = read.prepared
  const [rows, total] = await Promise.all([
    readWeighed(plan, (isQuick) => readPrepared<RestRow>(executor, read, identity, isQuick, () => readStatement(plan, media, false))),
    count && countRows(executor, plan, count),
  ])
  return { body: rows.body, length: rows.length, offset: plan.offset, total }
}

async function readByKey(executor: Executor, { table, key, media }: RecordQueryByKey, identity: CachedIdentity | undefined): Promise<Rows> {
  const record = await keyReaderOf(executor, table)([key], identity)
  const body = record?.json ?? ''
  return { body: media.form === 'object' ? body : `[${body}]`, length: record ? 1 : 0, offset: 0, total: undefined }
}
