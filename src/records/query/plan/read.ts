import { translatable } from '../../../messages/message'
import type { Tables } from '../../../tables/catalog/catalog'
import type { Table } from '../../../tables/model'
import { comparedType } from '../../../tables/sql-types'
import { hasCursor, readCursor } from '../cursor'
import type { QueryDialect } from '../parse/query'
import { notEmbedded, type QueryFailure, queryFailure } from '../plan-failure'
import type { Level, RecordQuery, SelectItem } from '../tree'
import { planConditions } from './conditions'
import { embeddingMeant, planEmbeddings } from './embeddings'
import { requireWithinLimits } from './limits'
import { groupOrder, hasReadableKey, planOrder, totalGroupOrder, totalOrder } from './order'
import { allColumns, planOutputs } from './outputs'
import { planSearch } from './search'
import type { EmbeddingPlan, LevelPlan, OrderPlan, PlannedCondition, ReadPlan } from './types'

export type ReadOptions = {
  /** Whether the primary key, or the values of groups, break ties in the query's own order; a cursor needs it. */
  isTotalOrder?: boolean
  dialect?: QueryDialect
}

/**
 * A query with every name resolved. It accesses only `tables`.
 * @throws QueryFailure invalid_request or forbidden, with the details in `problem`
 */
export function planRead(tables: Tables, table: Table, query: RecordQuery, options: ReadOptions = {}): ReadPlan {
  const { isTotalOrder = false, dialect = 'native' } = options
  requireWithinLimits(query)
  const level = planLevel(tables, table, query.select, query, dialect)
  const search = query.search === undefined ? null : planSearch(tables, table, query.search)
  const order = isTotalOrder ? totalOrderOf(level) : level.order
  const plan: ReadPlan = { ...level, order, condition: both(level.condition, search) }
  return query.cursor === undefined ? plan : { ...plan, after: planAfter(plan, query.cursor) }
}

const totalOrderOf = ({ table, order, outputs, isAggregated }: LevelPlan): OrderPlan[] =>
  isAggregated ? totalGroupOrder(order, outputs) : totalOrder(table, order)

function planAfter(plan: LevelPlan, cursor: string): (string | null)[] {
  const { table, order, offset, isAggregated } = plan
  if (offset) throw queryFailure('wrongCursor', translatable('"cursor" and "offset" cannot be used together.'))
  if (isAggregated) throw queryFailure('wrongCursor', translatable('Aggregates have no cursor.'), translatable('Page with "offset".'))
  if (table.primaryKey.length === 0 || !hasReadableKey(table)) {
    throw queryFailure(
      'noKey',
      translatable('"{name}" has no primary key that can be read, and so no cursor.', { name: table.name }),
      translatable('Page with "offset".'),
    )
  }
  if (!hasCursor(plan)) {
    throw queryFailure(
      'wrongCursor',
      translatable('An order by values that change with time has no cursor.'),
      translatable('Page with "offset".'),
    )
  }
  return readCursor(order, cursor)
}

const both = (one: PlannedCondition | null, other: PlannedCondition | null): PlannedCondition | null =>
  one && other ? { kind: 'every', conditions: [one, other] } : (one ?? other)

function planLevel(tables: Tables, table: Table, items: SelectItem[], level: Level, dialect: QueryDialect): LevelPlan {
  const embeddings = planEmbeddings(tables, table, items, level, (...inner) => planLevel(...inner, dialect)).map(withPageOrder)
  for (const name of Object.keys(level.embedded)) if (!embeddingMeant(items, name)) throw noEmbedding(table, name, embeddings)
  const outputs = planOutputs(tables, table, items, embeddings)
  const isAggregated = outputs.some(({ aggregate }) => aggregate)
  return {
    table,
    outputs,
    embeddings,
    condition: planConditions(tables, table, level.filters, embeddings, dialect),
    order: isAggregated ? groupOrder(table, level.order, outputs) : planOrder(table, level.order, embeddings),
    limit: level.limit,
    offset: level.offset,
    isAggregated,
  }
}

/** Pages of embedded records may also be requested one after another. */
function withPageOrder(embedding: EmbeddingPlan): EmbeddingPlan {
  const { table, order, limit, offset, isAggregated } = embedding
  if (isAggregated || (limit === undefined && offset === undefined) || !hasReadableKey(table)) return embedding
  return { ...embedding, order: totalOrder(table, order) }
}

const noEmbedding = (table: Table, name: string, embeddings: EmbeddingPlan[]): QueryFailure =>
  notEmbedded(table, name, [...embeddings.map((embedding) => embedding.name), ...table.columns.map((column) => column.name)])

/** The plan for whole records: every column that may be read. */
export const wholePlan = (table: Table): LevelPlan => ({
  table,
  outputs: allColumns(table),
  embeddings: [],
  condition: null,
  order: [],
  isAggregated: false,
})

/** The plan for the one record with this key. */
export function withKey(plan: ReadPlan, key: readonly string[]): ReadPlan {
  const conditions = plan.table.primaryKey.map((name, index): PlannedCondition => {
    const column = plan.table.columns.find((candidate) => candidate.name === name)!
    return {
      kind: 'comparison',
      field: { table: plan.table, column, steps: [] },
      operator: '=',
      value: key[index]!,
      type: comparedType(column.comparedAs),
    }
  })
  return { ...plan, condition: both({ kind: 'every', conditions }, plan.condition) }
}
