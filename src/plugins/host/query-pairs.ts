import { inQuotes, type Pair, toPairs } from '../../records/query/parse/pairs'

/** The query of `list`, instead of a query string. */
export type PluginQuery = {
  where?: Record<string, unknown>
  select?: string[]
  order?: string | string[]
  limit?: number
  offset?: number
  cursor?: string
  count?: 'none' | 'exact' | 'estimated'
  q?: string
}

const queryOperators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'in', 'is'] as const

/** @throws TypeError for a missing value, which would be compared as the text "undefined" or "null" */
function literalText(name: string, value: unknown): string {
  if (value === undefined || value === null) throw new TypeError(`"where" has no value to compare "${name}" with.`)
  return value instanceof Date ? value.toISOString() : String(value)
}

/**
 * The parameters of a query (docs/query-grammar.md). Quotes the names, so that no name can be read as syntax.
 * @throws TypeError for an unknown operator or a missing value; Failure invalid_request like `toPairs`
 */
export function queryPairs({ where = {}, select, order, ...words }: PluginQuery): Pair[] {
  const filters = Object.entries(where).flatMap(([name, condition]) =>
    conditions(name, condition).map((text): Pair => [inQuotes(name), text]),
  )
  const sorted = order === undefined ? [] : [order].flat().map(orderText)
  const { limit, offset, cursor, count, q } = words
  const others = { select: select?.map(inQuotes).join(','), order: sorted.join(',') || undefined, limit, offset, cursor, count, q }
  const given = Object.entries(others).flatMap(([name, value]): Pair[] => (value === undefined ? [] : [[name, String(value)]]))
  return toPairs([...filters, ...given])
}

/** `3`, `null`, `[1, 2]`, `{ gte: 1, lt: 5 }` */
function conditions(name: string, condition: unknown): string[] {
  if (condition === null) return ['is.null']
  if (Array.isArray(condition)) return [`in.${listText(name, condition)}`]
  if (typeof condition !== 'object' || condition instanceof Date) return [`eq.${literalText(name, condition)}`]
  return Object.entries(condition as object).map(([operator, value]) => operationText(name, operator, value))
}

function operationText(name: string, operator: string, value: unknown): string {
  const found = queryOperators.find((each) => each === operator)
  if (!found) throw new TypeError(`Unknown operator "${operator}". Supported operators: ${queryOperators.join(', ')}.`)
  if (found === 'in') return `in.${listText(name, Array.isArray(value) ? value : [value])}`
  if (value === null && found === 'neq') return 'not.is.null'
  if (value === null && (found === 'eq' || found === 'is')) return 'is.null'
  return `${found}.${literalText(name, value)}`
}

const listText = (name: string, values: unknown[]) => `(${values.map((value) => inQuotes(literalText(name, value))).join(',')})`

/** `name`, `-name` */
const orderText = (order: string) => (order.startsWith('-') ? `${inQuotes(order.slice(1))}.desc` : `${inQuotes(order)}.asc`)
