import { Failure, invalidRequest } from '../errors'
import { type Message, translatable } from '../messages/message'
import { readPairs } from '../records/query/parse/pairs'
import { parseQuery } from '../records/query/parse/query'

/** One comparison of a field's value with constants. */
export type FieldCondition = { column: string; operator: 'eq' | 'in' | 'is'; values: string[]; isNegated: boolean }

const unsupported = () => invalidRequest(translatable('A condition of a form compares fields with eq, neq, in and is, joined by &.'))

/**
 * Reads a condition in the query grammar: `kind=eq.other`, `kind=in.(a,b)`, `terms=is.true`, `kind=not.eq.other`.
 * @throws Failure invalid_request
 */
export function readFieldConditions(text: string): FieldCondition[] {
  const { filters, order, limit, offset, embedded, search, cursor } = parseQuery([...readPairs(text)], 'native')
  const hasMore = order.length > 0 || [limit, offset, search, cursor].some((part) => part !== undefined) || Object.keys(embedded).length > 0
  if (filters.length === 0 || hasMore) throw unsupported()
  return filters.map((filter) => {
    if (filter.kind !== 'condition' || filter.quantifier || filter.column.steps.length > 0) throw unsupported()
    const { operator, isNegated, column } = filter
    const values = [filter.value].flat()
    if (operator === 'neq') return { column: column.name, operator: 'eq', values, isNegated: !isNegated }
    if (operator !== 'eq' && operator !== 'in' && operator !== 'is') throw unsupported()
    if (operator === 'is' && values[0] === 'not_null') return { column: column.name, operator, values: ['null'], isNegated: !isNegated }
    if (operator === 'is' && !isWords.includes(values[0]!.toLowerCase())) throw unsupported()
    return { column: column.name, operator, values, isNegated }
  })
}

const isWords = ['null', 'true', 'false']

/** The problem with a condition; null if it is valid. @param earlier names of the fields before it */
export function fieldConditionProblem(text: string, earlier: readonly string[]): Message | null {
  try {
    const other = readFieldConditions(text).find(({ column }) => !earlier.includes(column))
    return other ? translatable('compares "{column}", which is not a field before this one', { column: other.column }) : null
  } catch (error) {
    if (error instanceof Failure) return error.text
    throw error
  }
}

/** Whether all conditions hold for the values of the visible fields. An empty value equals nothing. */
export const isFieldShown = (conditions: readonly FieldCondition[], values: Record<string, unknown>): boolean =>
  conditions.every((condition) => holdsFor(condition, values[condition.column]))

function holdsFor({ operator, values, isNegated }: FieldCondition, value: unknown): boolean {
  const isEmpty = value === undefined || value === null || value === ''
  const holds =
    operator === 'is'
      ? values[0]!.toLowerCase() === 'null'
        ? isEmpty
        : comparedText(value ?? '') === values[0]!.toLowerCase()
      : !isEmpty && [value].flat().some((item) => values.includes(comparedText(item)))
  return holds !== isNegated
}

/** The value may be any JSON, as it was sent. */
const comparedText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
