import { inQuotes } from '../../records/query/parse/pairs'

/** What `list` takes instead of a query string. */
export type ListQuery = {
  where?: Record<string, unknown>
  select?: string[]
  order?: string | string[]
  limit?: number
  offset?: number
  cursor?: string
  count?: 'none' | 'exact' | 'estimated'
  q?: string
}

const operators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'in', 'is'] as const

const literalText = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))

/**
 * Names are quoted and values encoded, so neither can become anything else of the grammar (docs/query-grammar.md).
 * @throws TypeError
 */
export function queryText({ where = {}, select, order, limit, offset, cursor, count, q }: ListQuery): string {
  const pairs = Object.entries(where).flatMap(([name, condition]) => conditions(condition).map((text) => [inQuotes(name), text] as const))
  const sorted = order === undefined ? [] : [order].flat().map(orderText)
  const words = { select: select?.map(inQuotes).join(','), order: sorted.join(',') || undefined, limit, offset, cursor, count, q }
  const rest = Object.entries(words).filter(([, value]) => value !== undefined)
  return [...pairs, ...rest].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&')
}

/** `3`, `null`, `[1, 2]`, `{ gte: 1, lt: 5 }` */
function conditions(condition: unknown): string[] {
  if (condition === null) return ['is.null']
  if (Array.isArray(condition)) return [`in.${listText(condition)}`]
  if (typeof condition !== 'object' || condition instanceof Date) return [`eq.${literalText(condition)}`]
  return Object.entries(condition as object).map(([operator, value]) => operationText(operator, value))
}

function operationText(operator: string, value: unknown): string {
  const known = operators.find((each) => each === operator)
  if (!known) throw new TypeError(`There is no operator "${operator}" here; there are ${operators.join(', ')}.`)
  if (known === 'in') return `in.${listText(Array.isArray(value) ? value : [value])}`
  if (value === null) return known === 'neq' ? 'not.is.null' : 'is.null'
  return `${known}.${literalText(value)}`
}

const listText = (values: unknown[]) => `(${values.map((value) => inQuotes(literalText(value))).join(',')})`

/** `name`, `-name` */
const orderText = (order: string) => (order.startsWith('-') ? `${inQuotes(order.slice(1))}.desc` : `${inQuotes(order)}.asc`)
