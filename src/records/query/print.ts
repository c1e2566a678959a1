import { inQuotes, type Pair } from './parse/pairs'
import type { ColumnPath, Embedding, Filter, FilterCondition, Level, OrderTerm, RecordQuery, SelectItem } from './tree'

/** Writes a tree as parameters that `parseQuery` reads. Quotes names only if necessary. */
export function printQuery(query: RecordQuery): Pair[] {
  const [first, ...others] = query.select
  const isDefault = first?.kind === 'all' && others.length === 0
  const pairs: Pair[] = isDefault ? [] : [['select', query.select.map(printItem).join(',')]]
  pairs.push(...printLevel(query, ''))
  if (query.columns) pairs.push(['columns', query.columns.map(printName).join(',')])
  if (query.onConflict) pairs.push(['on_conflict', query.onConflict.map(printName).join(',')])
  const words = { cursor: query.cursor, q: query.search, count: query.count, maxAffected: query.maxAffected, dryRun: query.isDryRun }
  for (const [word, value] of Object.entries(words)) if (value !== undefined) pairs.push([word, String(value)])
  return pairs
}

/** Writes parameters as a query string that `readPairs` reads. Encodes only the necessary characters. */
export const writePairs = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${name.replace(/[%&+=]/g, encodeURIComponent)}=${value.replace(/[%&+]/g, encodeURIComponent)}`).join('&')

function printLevel(level: Level, prefix: string): Pair[] {
  const pairs = level.filters.map((filter) => printFilter(filter, prefix))
  if (level.order.length) pairs.push([`${prefix}order`, level.order.map(printTerm).join(',')])
  if (level.limit !== undefined) pairs.push([`${prefix}limit`, String(level.limit)])
  if (level.offset !== undefined) pairs.push([`${prefix}offset`, String(level.offset)])
  return pairs.concat(Object.entries(level.embedded).flatMap(([name, inner]) => printLevel(inner, `${prefix}${printName(name)}.`)))
}

/** Words that have another meaning somewhere in the grammar. */
const words = new Set([
  ...['and', 'or', 'not', 'order', 'limit', 'offset', 'select', 'columns', 'on_conflict'],
  ...['cursor', 'q', 'count', 'maxAffected', 'dryRun', 'token', 'inner', 'left'],
])

const printName = (text: string) => (/^[\p{L}\p{N}_]+$/u.test(text) && !words.has(text) ? text : inQuotes(text))

const printKey = (key: string | number) => (typeof key === 'number' || /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : inQuotes(key))

const printColumn = ({ name, steps }: ColumnPath) =>
  printName(name) + steps.map(({ as, key }) => (as === 'text' ? '->>' : '->') + printKey(key)).join('')

const printRelated = (relation: string, column: ColumnPath) => `${printName(relation)}(${printColumn(column)})`

function printFilter(filter: Filter, prefix: string): Pair {
  if (filter.kind === 'linked') {
    const { relation, condition } = filter
    return [prefix + printRelated(relation, condition.column), printFilter(condition, '')[1]]
  }
  if (filter.kind !== 'condition')
    return [`${prefix}${filter.isNegated ? 'not.' : ''}${filter.kind}`, `(${filter.filters.map(printBranch).join(',')})`]
  const value = typeof filter.value === 'string' ? filter.value : printList(filter.value)
  return [prefix + printColumn(filter.column), `${printOperator(filter)}.${value}`]
}

function printBranch(filter: Filter): string {
  if (filter.kind === 'linked') return `${printRelated(filter.relation, filter.condition.column)}.${printOperation(filter.condition)}`
  if (filter.kind === 'condition') return `${printColumn(filter.column)}.${printOperation(filter)}`
  return `${filter.isNegated ? 'not.' : ''}${filter.kind}(${filter.filters.map(printBranch).join(',')})`
}

function printOperation(condition: FilterCondition): string {
  const { operator, value } = condition
  const text = typeof value !== 'string' ? printList(value) : operator === 'is' || isArray.test(value) ? value : printValue(value)
  return `${printOperator(condition)}.${text}`
}

/** A PostgreSQL array, which is read as one value. */
const isArray = /^\{[^{}]*\}$/

/**
 * A value of a list or a logic tree that needs no quotes: no space at either end, and no character that would end it.
 */
const printValue = (text: string) => (/^[^\s,(){}"\\](?:[^,(){}"\\]*[^\s,(){}"\\])?$/.test(text) ? text : inQuotes(text))

const printList = (elements: string[]) => `(${elements.map(printValue).join(',')})`

function printOperator({ isNegated, operator, quantifier, language }: FilterCondition) {
  const argument = quantifier ?? language
  return `${isNegated ? 'not.' : ''}${operator}${argument === undefined ? '' : `(${argument})`}`
}

function printItem(item: SelectItem): string {
  if (item.kind === 'all') return '*'
  if (item.kind === 'embedding') return printEmbedding(item)
  const alias = item.alias === undefined ? '' : `${printName(item.alias)}:`
  const cast = item.cast === undefined ? '' : `::${item.cast}`
  if (item.kind === 'count') return `${alias}count()${cast}`
  const aggregate = item.aggregate ? `.${item.aggregate.name}()${item.aggregate.cast ? `::${item.aggregate.cast}` : ''}` : ''
  return alias + printColumn(item.column) + cast + aggregate
}

function printEmbedding({ relation, alias, hint, join, isSpread, items }: Embedding): string {
  const before = isSpread ? '...' : alias === undefined ? '' : `${printName(alias)}:`
  const modifiers = (hint === undefined ? '' : `!${printName(hint)}`) + (join === 'inner' ? '!inner' : '')
  return `${before}${printName(relation)}${modifiers}(${items.map(printItem).join(',')})`
}

function printTerm({ relation, column, direction, nulls }: OrderTerm): string {
  const subject = relation === undefined ? printColumn(column) : printRelated(relation, column)
  return `${subject}.${direction}${nulls ? `.nulls${nulls}` : ''}`
}
