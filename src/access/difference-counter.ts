import { isAway, isOutcomeUnknown } from '../db/errors'
import type { Executor } from '../db/pool/open'
import { Failure } from '../errors'
import { ruleText } from '../records/query/sql/rules'
import { finish, startStatement } from '../records/query/sql/statement'
import { qualifiedName } from '../tables/ddl'
import type { RowRule, Table } from '../tables/model'
import { isSameRule } from '../tables/row-rules'
import type { ActionChange } from './model'

/** The maximum number of statements. */
const maxCounts = 400
/** The maximum number of differences that one statement counts. */
const maxDifferences = 100
const maxStatementMs = 2_000
const maxTotalMs = 20_000

type Difference = { was: RowRule; is: RowRule }
/** Null means that there are no rules whose records could be counted. */
export type CountableDifference = Difference | { was: null; is: null }
type Counts = Pick<ActionChange, 'gained' | 'lost'>

export const uncounted: Counts = { gained: null, lost: null }

/** Counts the records that only one of two rules allows, within limits on number and time. */
export class DifferenceCounter {
  isPartial = false
  private left = maxCounts
  private leftMs = maxTotalMs

  constructor(private readonly executor: Executor) {}

  /** @returns the counts for each difference of a table */
  async count(table: Table, differences: readonly CountableDifference[]): Promise<(difference: CountableDifference) => Counts> {
    // Columns to which the same lines apply have the same difference.
    const distinct: Difference[] = []
    const indexOf = ({ was, is }: Difference) => distinct.findIndex((other) => isSameRule(other.was, was) && isSameRule(other.is, is))
    for (const difference of differences) if (difference.was !== null && indexOf(difference) < 0) distinct.push(difference)
    const counted = distinct.length > 0 ? await this.read(table, distinct.slice(0, maxDifferences)) : []
    if (distinct.some((_, index) => !counted[index])) this.isPartial = true
    return (difference) => (difference.was === null ? uncounted : (counted[indexOf(difference)] ?? uncounted))
  }

  /** Counts all of them in one statement. If it fails, counts one by one, since a single rule may be the cause. */
  private async read(table: Table, differences: readonly Difference[]): Promise<(Counts | null)[]> {
    const together = await this.readTogether(table, differences)
    if (together || differences.length === 1) return together ?? []
    const counted: (Counts | null)[] = []
    for (const difference of differences) counted.push((await this.readTogether(table, [difference]))?.[0] ?? null)
    return counted
  }

  /** @returns null if that takes too long, or if a rule or a view fails */
  private async readTogether(table: Table, differences: readonly Difference[]): Promise<Counts[] | null> {
    if (this.left-- <= 0 || this.leftMs < 1) return null
    const { text, parameters } = countStatement(table, differences)
    const start = performance.now()
    try {
      return await this.executor.transaction(async ({ query }) => {
        await query(`set local statement_timeout = ${Math.ceil(Math.min(maxStatementMs, this.leftMs))}`)
        const [row] = await query<Record<string, number>>(text, parameters, { prepare: false })
        return differences.map((_, index) => ({ gained: row![`gained_${index}`]!, lost: row![`lost_${index}`]! }))
      })
    } catch (error) {
      if (error instanceof Failure || isOutcomeUnknown(error) || isAway(error)) throw error
      return null
    } finally {
      this.leftMs -= performance.now() - start
    }
  }
}

function countStatement(table: Table, differences: readonly Difference[]) {
  const writer = startStatement()
  const condition = (rule: RowRule) => `coalesce((${ruleText(writer, rule, 't') ?? 'true'}), false)`
  const counts = differences.flatMap(({ was, is }, index) => {
    const [before, after] = [condition(was), condition(is)]
    const count = (where: string, name: string) => `count(*) filter (where ${where})::int as ${name}_${index}`
    return [count(`${after} and not ${before}`, 'gained'), count(`${before} and not ${after}`, 'lost')]
  })
  return finish(writer, `select ${counts.join(', ')} from ${qualifiedName(table)} t`)
}
