import { isAway, isOutcomeUnknown, sqlState } from '../db/errors'
import type { Db, Query } from '../db/pool/open'
import { Failure, type Problem } from '../errors'
import type { Message } from '../messages/message'
import { planRead } from '../records/query/plan/read'
import type { ReadPlan } from '../records/query/plan/types'
import { constantTexts } from '../records/query/sql/constants'
import { toQueryFailure } from '../records/store/errors'
import { findTable, type Tables } from '../tables/catalog/catalog'
import { textProblem } from '../tables/column-types/text'
import type { Table } from '../tables/model'
import { hasPlaceholders } from '../tables/row-rules'
import { actions, type NewAccessRule } from './model'
import { readRule, ruleConstant } from './rule-condition'

/** The constants of a filter for one of its tables, as SQL that needs no row. */
type FilterConstants = { plan: ReadPlan; texts: string[] }

/**
 * The problems of filters with values that only PostgreSQL can judge, such as a date that does not exist: each
 * statement with the rule would fail. A filter for all tables must be readable in one of those that it fits.
 */
export async function findUnreadableFilters(
  { query }: Pick<Db, 'query'>,
  tables: Tables,
  rules: readonly NewAccessRule[],
): Promise<Problem[]> {
  // Most lines have the same filter for all actions, and a line for `*` is planned for every table.
  const planned = new Map<string, FilterConstants[]>()
  const filters = rules.flatMap(({ table, ...rule }, index) =>
    actions.map((action) => {
      const filter = rule[action]?.trim() ?? 'none'
      const key = JSON.stringify([table, filter])
      const constants = planned.get(key) ?? constantsOf(tables, table, filter)
      planned.set(key, constants)
      return { path: `/rules/${index}/${action}`, constants }
    }),
  )
  const texts = new Set(filters.flatMap(({ constants }) => constants.flatMap((each) => each.texts)))
  const errors = await errorsOf(query, [...texts])
  return filters.flatMap(({ path, constants }) => {
    const messages = constants.map((each) => constantProblem(each, errors))
    const [first] = messages
    return first && !messages.includes(null) ? [{ path, message: first }] : []
  })
}

function constantProblem({ plan, texts }: FilterConstants, errors: ReadonlyMap<string, unknown>): Message | null {
  for (const text of texts) {
    const error = errors.get(text)
    const failure = error === undefined ? null : toQueryFailure(sqlState(error) ?? '', plan, error)
    if (failure) return failure.text
  }
  return null
}

function constantsOf(tables: Tables, name: string, filter: string): FilterConstants[] {
  if (filter === 'all' || filter === 'none' || textProblem(filter)) return []
  const table = findTable(tables, name)
  const candidates = name === '*' ? tables.list.filter(({ isJoinTable }) => !isJoinTable) : table ? [table] : []
  return candidates.flatMap((candidate) => constantsFor(tables, candidate, filter) ?? [])
}

/** Null for a filter that does not fit the table. */
function constantsFor(tables: Tables, table: Table, filter: string): FilterConstants | null {
  try {
    const plan = planRead(tables, table, readRule(filter))
    // The values of the caller are always readable.
    return { plan, texts: constantTexts(plan, ruleConstant).filter((text) => !hasPlaceholders(text) && !text.includes('\0')) }
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

const maxTogether = 100

/** The errors of the values that cannot be read. If a statement with several values fails, it is split in half. */
async function errorsOf(query: Query, texts: readonly string[]): Promise<Map<string, unknown>> {
  if (texts.length === 0) return new Map()
  if (texts.length <= maxTogether) {
    try {
      await query(`select ${texts.map((text) => `(${text}) is null`).join(', ')}`, [], { prepare: false })
      return new Map()
    } catch (error) {
      if (error instanceof Failure || isOutcomeUnknown(error) || isAway(error)) throw error
      if (texts.length === 1) return new Map([[texts[0]!, error]])
    }
  }
  const half = Math.ceil(texts.length / 2)
  return new Map([...(await errorsOf(query, texts.slice(0, half))), ...(await errorsOf(query, texts.slice(half)))])
}
