import type { Executor } from '../../../db/open'
import type { ReadPlan } from '../../query/plan/types'
import { countStatement, estimateStatement } from '../../query/sql/read'
import { execute } from '../execute'

/**
 * `exact` counts. `planned` is what PostgreSQL's planner expects, from its statistics. `estimated` counts as far as
 * that is cheap, and is what is planned beyond.
 */
export type Count = 'exact' | 'planned' | 'estimated'

/** Up to here an estimate is a count: it is cheap, and right. */
const maxCounted = 10_000

/** How many rows a plan has without its limit and offset. */
export async function countRows({ query }: Executor, plan: ReadPlan, count: Count): Promise<number> {
  if (count === 'planned') return estimate(query, plan)
  const [row] = await execute<{ total: string }>(query, plan.table, countStatement(plan, count === 'estimated' ? maxCounted : undefined))
  const total = Number(row!.total)
  return count === 'estimated' && total > maxCounted ? Math.max(await estimate(query, plan), total) : total
}

type Explained = [{ Plan: { 'Plan Rows': number } }]

async function estimate(query: Executor['query'], plan: ReadPlan): Promise<number> {
  const { text, parameters } = estimateStatement(plan)
  const [row] = await query<{ 'QUERY PLAN': string | Explained }>(text, parameters, { prepare: false })
  const explained = row!['QUERY PLAN']
  return (typeof explained === 'string' ? (JSON.parse(explained) as Explained) : explained)[0].Plan['Plan Rows']
}
