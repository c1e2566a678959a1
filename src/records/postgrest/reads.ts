import type { Presumption } from '../../auth/identity/identity-check'
import { shared } from '../../db/batcher'
import type { Db } from '../../db/open'
import type { ReadPlan } from '../query/plan/types'
import { countStatement, estimateStatement } from '../query/sql/read'
import { readWeighed } from '../query/sql/weight'
import { run, runProving } from '../store/execute'
import { readerOf } from '../store/reader'
import { refuse } from './errors/engine-errors'
import { refuseRest } from './errors/failure'
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
    const rows = 'key' in asked ? await readByKey(db, asked, presumed) : await sharedRead(db)(asked, presumed)
    if (media.form === 'object') holdSingle(rows.length)
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
export function holdSingle(length: number): void {
  if (length !== 1)
    refuseRest(406, 'PGRST116', 'JSON object requested, multiple (or no) rows returned', `The result contains ${length} rows`)
}

type Reader = (asked: AskedRows, presumed?: Presumption) => Promise<Rows>

const shares = new WeakMap<Db, Reader>()

/** What is asked for together, word for word, shares one query. */
function sharedRead(db: Db): Reader {
  const known = shares.get(db) ?? shared((asked: AskedRows, presumed: Presumption[]) => read(db, asked, presumed))
  shares.set(db, known)
  return known
}

async function read(db: Db, { plan, statement, media, count }: AskedRows, presumed: Presumption[]): Promise<Rows> {
  const page = (isQuick: boolean) =>
    runProving<{ body: string; length: number }>(db.query, plan.table, isQuick ? statement : readStatement(plan, media, false), presumed)
  const [[rows], total] = await Promise.all([readWeighed(plan, page), count && countRows(db, plan, count)])
  return { ...rows!, offset: plan.offset, total }
}

async function readByKey(db: Db, { table, key, media }: AskedRecord, presumed: Presumption | undefined): Promise<Rows> {
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
