import type { Db } from '../../db/open'
import { parseQuery } from '../query/parse'
import { planRead } from '../query/plan'
import type { ReadPlan } from '../query/planned'
import { countStatement, estimateStatement } from '../query/sql-read'
import { mayRead } from '../rights'
import { run } from '../running'
import type { TableCall } from './call'
import { refuseRest } from './failure'
import type { Preferences } from './preferences'
import { readRange } from './range'
import { refuse } from './refusals'
import { readStatement } from './sql'

/** Of one answer; PostgREST calls it db-max-rows. More would have to be held in memory whole, here and in PostgreSQL. */
export const mostRows = 10_000

/** `total` is the number of rows without limit and offset, where it was asked for. */
export type Rows = { body: string; length: number; offset: number; total: number | undefined }

/** @throws RestFailure */
export async function readRows(db: Db, { tables, table, search, range, media, preferences: { count } }: TableCall): Promise<Rows> {
  try {
    mayRead(table)
    const query = parseQuery(search, 'postgrest')
    const { offset, limit } = readRange(range, query, mostRows)
    const plan = { ...planRead(tables, table, query), offset, limit }
    const [[page], total] = await Promise.all([
      run<{ body: string; length: number }>(db.query, table, readStatement(plan, media)),
      count && countRows(db, plan, count),
    ])
    if (media.form === 'object') holdSingle(page!.length)
    return { ...page!, offset, total }
  } catch (error) {
    refuse(error)
  }
}

/** @throws RestFailure PGRST116 (406) */
export function holdSingle(length: number): void {
  if (length !== 1)
    refuseRest(406, 'PGRST116', 'JSON object requested, multiple (or no) rows returned', `The result contains ${length} rows`)
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
