import { operator } from '../../../db/search-path'
import { type Message, translatable } from '../../../messages/message'
import type { LinkedFilter } from '../../column-types/computed'
import type { Column } from '../../model'
import { literal } from '../../sql-text'
import { comparedType } from '../../sql-types'
import { NoValues } from './linked-records'

const comparisonOperators: Record<string, string> = { eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' }
const patternOperators: Record<string, string> = { like: '~~', ilike: '~~*' }
const stateTests: Record<string, string> = { null: 'is null', not_null: 'is not null', true: 'is true', false: 'is false' }

/** The type with which PostgreSQL read the constants of a filter, with the labels of an enum, which may be renamed. */
export const filterType = ({ comparedAs, options }: Pick<Column, 'comparedAs' | 'options'>): string =>
  comparedAs.startsWith('"') && options.choices ? `${comparedAs} ${JSON.stringify(options.choices)}` : comparedAs

/** One condition on the linked records, as SQL. For the parameters and errors see `plainCondition`. */
export function linkedCondition(filter: LinkedFilter, ...compared: Compared): string {
  const condition = plainCondition(filter, ...compared)
  return filter.not ? `(${condition}) is not true` : condition
}

type Compared = [column: Column, text: string, types: Readonly<Record<string, string>>]

/**
 * @param text the column's value
 * @param types the columns' types, by id, from the time when PostgreSQL read the constants: another type may not accept
 * them
 * @throws NoValues
 */
function plainCondition({ operator: name, value }: LinkedFilter, ...[column, text, types]: Compared): string {
  const { id, name: columnName, comparedAs, operatorSchema, joinTable } = column
  const problem = (message: Message) => new NoValues(translatable('The filter on "{columnName}" {message}.', { columnName, message }))
  if (joinTable) throw problem(translatable('compares links to several records, which have no single value'))
  if (Object.hasOwn(types, id) && types[id] !== filterType(column)) throw problem(translatable('was made for another type of the column'))
  const texts = typeof value === 'string' ? [value] : value
  if (!texts.every((text) => text.isWellFormed() && !text.includes('\0'))) throw problem(translatable('has a value that is not text'))
  if (name === 'is') {
    const state = typeof value === 'string' && Object.hasOwn(stateTests, value) ? stateTests[value]! : null
    if (state === null) throw problem(translatable('accepts null, not_null, true or false for "is"'))
    const isOfTruth = value === 'true' || value === 'false'
    if (isOfTruth && comparedAs !== 'boolean') throw problem(translatable('tests a value for true or false that is not boolean'))
    return `${text} ${state}`
  }
  const constant = (item: string) => `${literal(item)}::${comparedType(comparedAs)}`
  const equals = operator('=', operatorSchema)
  if (name === 'in') {
    if (typeof value === 'string') throw problem(translatable('needs an array of values for "in"'))
    return `${text} ${equals} any(array[${value.map(constant).join(', ')}]::${comparedType(comparedAs)}[])`
  }
  if (typeof value !== 'string') throw problem(translatable('accepts an array of values for "in" only'))
  const pattern = patternOperators[name]
  if (pattern && /(?:^|[^\\])(?:\\\\)*\\$/.test(value)) throw problem(translatable('ends with a backslash, which escapes nothing'))
  if (pattern) return `${text}::text ${operator(pattern)} ${literal(value.replaceAll('*', '%'))}`
  return `${text} ${operator(comparisonOperators[name]!, operatorSchema)} ${constant(value)}`
}
