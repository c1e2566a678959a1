import type { Executor } from '../../../db/pool/open'
import type { Table } from '../../../tables/model'
import type { LevelPlan, PlannedCondition, ReadPlan } from '../../query/plan/types'
import { countStatement, estimateStatement } from '../../query/sql/read'
import { execute } from '../execute'

/**
 * `exact` counts. `planned` is the estimate of PostgreSQL's planner. `estimated` counts up to `maxCounted` rows, and is
 * the planner's estimate beyond.
 */
export type Count = 'exact' | 'planned' | 'estimated'

/** Up to this number of rows an estimate is an exact count, which is cheap. */
const maxCounted = 10_000

/**
 * The number of rows of a plan without its limit and offset. If access rules hide rows or cells from the caller, the
 * rows are always counted: the planner's estimate covers all rows, and would reveal hidden ones.
 */
export async function countRows({ query }: Executor, plan: ReadPlan, asked: Count): Promise<number> {
  const count = hasHiddenRows(plan) ? 'exact' : asked
  if (count === 'planned') return estimate(query, plan)
  const [row] = await execute<{ total: string }>(query, plan.table, countStatement(plan, count === 'estimated' ? maxCounted : undefined))
  const total = Number(row!.total)
  return count === 'estimated' && total > maxCounted ? Math.max(await estimate(query, plan), total) : total
}

/** A filter or search along links also reads the rows of other tables. */
const hasHiddenRows = ({ table, embeddings, condition }: LevelPlan): boolean =>
  hidesRows(table) || embeddings.some(hasHiddenRows) || (condition !== null && readsHiddenRows(condition))

const hidesRows = ({ access, columns }: Table): boolean =>
  typeof access?.read === 'object' || columns.some((column) => column.access?.visibleIn)

function readsHiddenRows(condition: PlannedCondition): boolean {
  if ('conditions' in condition) return condition.conditions.some(readsHiddenRows)
  if ('condition' in condition) return readsHiddenRows(condition.condition)
  if (condition.kind === 'exists') return hasHiddenRows(condition.embedding)
  return condition.kind === 'search' && condition.columns.some((searched) => 'target' in searched && hidesRows(searched.target))
}

type Explained = [{ Plan: { 'Plan Rows': number } }]

async function estimate(query: Executor['query'], plan: ReadPlan): Promise<number> {
  const { text, parameters } = estimateStatement(plan)
  const [row] = await query<{ 'QUERY PLAN': string | Explained }>(text, parameters, { prepare: false })
  const explained = row!['QUERY PLAN']
  return (typeof explained === 'string' ? (JSON.parse(explained) as Explained) : explained)[0].Plan['Plan Rows']
}
