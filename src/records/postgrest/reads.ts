import type { CachedIdentity } from '../../auth/identity/identity-check'
import type { Db } from '../../db/open'
import type { ReadPlan } from '../query/plan/types'
import { countStatement, estimateStatement } from '../query/sql/read'
import { readWeighed } from '../query/sql/weight'
import { readBatched } from '../store/batched-reads'
import { run, runProving } from '../store/execute'
import { boundParameters } from '../store/prepared-reads'
import { readerOf } from '../store/reader'
import { refuse } from './errors/engine-errors'
import { throwRestFailure } from './errors/failure'
import { type AskedRecord, type AskedRows, askedOf, mostRows } from './prepared-query'
import type { TableCall } from './request/call'
import type { Preferences } from './request/preferences'
import { readStatement } from './sql'

/** `total` is the number of rows without limit and offset, where it was asked for. */
export type Rows = { body: string; length: number; offset: number; total: number | undefined }

/** @throws RestFailure */
export async function readRows(db: Db, call: TableCall): Promise<Rows> {
  const { presumed, media } = call
  try {
    const asked = askedOf(call)
    const rows = 'key' in asked ? await readByKey(db, asked, presumed) : await readPlanned(db, asked, presumed)
    if (media.form === 'object') requireSingle(rows.length)
    return rows
  } catch (error) {
    refuse(error)
  }
}

/**
 * The same, where one record is asked for by its key; else null.
 * @throws Failure, which only `readRows` makes PostgREST's
 */
export function readRow(db: Db, call: TableCall): Promise<Rows> | null {
  const asked = call.media.form === 'array' ? askedOf(call) : null
  return asked && 'key' in asked ? readByKey(db, asked, call.presumed) : null
}

/** @throws RestFailure PGRST116 (406) */
export function requireSingle(length: number): void {
  if (length !== 1)
    throwRestFailure(406, 'PGRST116', 'JSON object requested, multiple (or no) rows returned', `The result contains ${length} rows`)
}

type Body = { body: string; length: number }

async function readPlanned(db: Db, { read }: AskedRows, presumed: CachedIdentity | undefined): Promise<Rows> {
  const { plan, count } = read.prepared
  const [rows, total] = await Promise.all([
    readWeighed(plan, (isQuick) => (isQuick ? readBatched<Body>(db, read, presumed) : readThoroughly(db, read, presumed))),
    count && countRows(db, plan, count),
  ])
  return { body: rows.body, length: rows.length, offset: plan.offset, total }
}

async function readThoroughly(db: Db, read: AskedRows['read'], presumed: CachedIdentity | undefined): Promise<Body> {
  const { plan, media } = read.prepared
  const statement = readStatement(plan, media, false)
  const bound = { ...statement, parameters: boundParameters(statement, read) }
  const [row] = await runProving<Body>(db.query, plan.table, bound, presumed ? [presumed] : [])
  return row!
}

async function readByKey(db: Db, { table, key, media }: AskedRecord, presumed: CachedIdentity | undefined): Promise<Rows> {
  const record = await readerOf(db, table)([key], presumed)
  const body = record?.json ?? ''
  return { body: media.form === 'object' ? body : `[${body}]`, length: record ? 1 : 0, offset: 0, total: undefined }
}

/** `estimated` is exact for as many rows as one answer may have, and PostgreSQL's guess beyond. */
async function countRows(db: Db, plan: ReadPlan, count: NonNullable<Preferences['count']>): Promise<number> {
  if (count === 'planned') return estimate(db, plan)
  const [row] = await run<{ total: string }>(db.query, plan.table, countStatement(plan, count === 'estimated' ? mostRows : undefined))
  const total = Number(row!.total)
  return count === 'estimated' && total > mostRows ? Math.max(await estimate(db, plan), total) : total
}

async function estimate(db: Db, plan: ReadPlan): Promise<number> {
  const [row] = await run<Record<string, unknown>>(db.query, plan.table, estimateStatement(plan))
  const [explained] = Object.values(row!)
  const [{ Plan }] = (typeof explained === 'string' ? JSON.parse(explained) : explained) as [{ Plan: { 'Plan Rows': number } }]
  return Plan['Plan Rows']
}
