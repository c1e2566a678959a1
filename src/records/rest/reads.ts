import type { Db } from '../../db/open'
import { parseQuery } from '../query/parse'
import { planRead } from '../query/plan'
import type { ReadPlan } from '../query/planned'
import { countStatement, estimateStatement } from '../query/sql-read'
import type { Statement } from '../query/statement'
import { refuseDatabase } from './database-errors'
import { refuseRest } from './failure'
import type { Media } from './media'
import type { Preferences } from './preferences'
import { refuseQuery } from './query-problems'
import { readRange } from './range'
import type { Relation } from './relations'
import { readStatement } from './sql'

/** Of one answer; PostgREST calls it db-max-rows. More would have to be held in memory whole, here and in PostgreSQL. */
export const mostRows = 10_000

export type Read = { search: string; range: string | null; media: Media; count: Preferences['count'] }

/** `total` is the number of rows without limit and offset, where it was asked for. */
export type Rows = { body: string; length: number; offset: number; total: number | undefined }

/** @throws RestFailure */
export async function readRows(db: Db, { tables, table }: Relation, read: Read): Promise<Rows> {
  try {
    const query = parseQuery(read.search, 'postgrest')
    const { offset, limit } = readRange(read.range, query, mostRows)
    const plan = { ...planRead(tables, table, query), offset, limit }
    const [page, total] = await Promise.all([
      run<{ body: string; length: number }>(db, readStatement(plan, read.media)),
      read.count && countRows(db, plan, read.count),
    ])
    if (read.media.form === 'object') holdSingle(page.length)
    return { ...page, offset, total }
  } catch (error) {
    refuse(error)
  }
}

/** @throws RestFailure PGRST116 (406) */
export function holdSingle(length: number): void {
  if (length !== 1)
    refuseRest(406, 'PGRST116', 'JSON object requested, multiple (or no) rows returned', `The result contains ${length} rows`)
}

/** @throws what it was given in PostgREST's words, where it is of the request's doing */
export function refuse(error: unknown): never {
  try {
    refuseQuery(error)
  } catch (refused) {
    refuseDatabase(refused)
  }
}

async function run<Row extends object>(db: Db, { text, parameters }: Statement): Promise<Row> {
  const [row] = await db.query<Row>(text, parameters)
  return row!
}

/** `estimated` is exact for as many rows as one answer may have, and PostgreSQL's guess beyond. */
async function countRows(db: Db, plan: ReadPlan, count: NonNullable<Preferences['count']>): Promise<number> {
  if (count === 'planned') return estimate(db, plan)
  const { total } = await run<{ total: string }>(db, countStatement(plan, count === 'estimated' ? mostRows : undefined))
  return count === 'estimated' && Number(total) > mostRows ? Math.max(await estimate(db, plan), Number(total)) : Number(total)
}

async function estimate(db: Db, plan: ReadPlan): Promise<number> {
  const row = await run<Record<string, unknown>>(db, estimateStatement(plan))
  const [explained] = Object.values(row)
  const [{ Plan }] = (typeof explained === 'string' ? JSON.parse(explained) : explained) as [{ Plan: { 'Plan Rows': number } }]
  return Plan['Plan Rows']
}
