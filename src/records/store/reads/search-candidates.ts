import { sqlState } from '../../../db/errors'
import type { Executor } from '../../../db/pool/open'
import { comparedType } from '../../../tables/sql-types'
import type { SearchCandidates } from '../../query/plan/search-candidates'
import type { ReadPlan } from '../../query/plan/types'
import { searchCandidatesStatement } from '../../query/sql/search-candidates'

/** With more candidates, a page is soon full when the records are read in the order of their key. */
const maxForPage = 20_000
/** With more, reading every record takes as long. */
const maxForWhole = 100_000

/**
 * The plan limited to the records that its search may find.
 * @param needsAll whether the list is counted, or has an order other than that of the key
 * @returns null if there are many of them
 * @throws PostgresError
 */
export async function withCandidates(
  executor: Executor,
  plan: ReadPlan,
  candidates: SearchCandidates,
  needsAll: boolean,
): Promise<ReadPlan | null> {
  const value = await findCandidates(executor, candidates, needsAll ? maxForWhole : maxForPage)
  if (value === null) return null
  const { table, key: column } = candidates
  const isCandidate = {
    ...({ kind: 'comparison', operator: '=', quantifier: 'any' } as const),
    ...{ field: { table, column, steps: [] }, value, type: comparedType(column.comparedAs) },
  }
  return { ...plan, condition: { kind: 'every', conditions: plan.condition ? [isCandidate, plan.condition] : [isCandidate] } }
}

/** The SQLSTATEs of a missing table, column, function and schema. */
const missing = ['42P01', '42703', '42883', '3F000']

/** @returns the keys as an array literal */
async function findCandidates({ query, isTransaction }: Executor, candidates: SearchCandidates, most: number): Promise<string | null> {
  // An error would end the transaction.
  if (isTransaction) return null
  const { text, parameters } = searchCandidatesStatement(candidates, most)
  try {
    const [row] = await query<{ keys: string | null }>(text, parameters)
    return row!.keys
  } catch (error) {
    // A column, a linked table or the extension has changed since the plan was made; the search itself finds that out.
    if (!missing.includes(sqlState(error) ?? '')) throw error
    return null
  }
}
