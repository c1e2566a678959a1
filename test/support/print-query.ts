import type { Pair } from '../../src/records/query/parse/pairs'
import type { ColumnPath, Embedding, Filter, Level, OrderTerm, RecordQuery, SelectItem } from '../../src/records/query/tree'

/** A tree → the parameters that say it: the other way round of `parseQuery`. Every name is quoted. */
export function printQuery(query: RecordQuery): Pair[] {
  const pairs: Pair[] = [['select', query.select.map(printItem).join(',')], ...printLevel(query, '')]
  if (query.columns) pairs.push(['columns', query.columns.map(quote).join(',')])
  if (query.onConflict) pairs.push(['on_conflict', query.onConflict.map(quote).join(',')])
  return pairs
}

function printLevel(level: Level, prefix: string): Pair[] {
  const pairs = level.filters.map((filter) => printFilter(filter, prefix))
  if (level.order.length) pairs.push([`${prefix}order`, level.order.map(printTerm).join(',')])
  if (level.limit !== undefined) pairs.push([`${prefix}limit`, String(level.limit)])
  if (level.offset !== undefined) pairs.push([`${prefix}offset`, String(level.offset)])
  return pairs.concat(Object.entries(level.embedded).flatMap(([name, inner]) => printLevel(inner, `${prefix}${quote(name)}.`)))
}

const quote = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

const printColumn = ({ name, steps }: ColumnPath) =>
  quote(name) + steps.map(({ as, key }) => (as === 'text' ? '->>' : '->') + (typeof key === 'number' ? key : quote(key))).join('')

function printFilter(filter: Filter, prefix: string): Pair {
  if (filter.kind !== 'condition')
    return [`${prefix}${filter.isNegated ? 'not.' : ''}${filter.kind}`, `(${filter.filters.map(printBranch).join(',')})`]
  const value = typeof filter.value === 'string' ? filter.value : printList(filter.value)
  return [prefix + printColumn(filter.column), `${printOperator(filter)}.${value}`]
}

function printBranch(filter: Filter): string {
  if (filter.kind !== 'condition') return `${filter.isNegated ? 'not.' : ''}${filter.kind}(${filter.filters.map(printBranch).join(',')})`
  const { operator, value } = filter
  const text = typeof value !== 'string' ? printList(value) : operator === 'is' ? value : quote(value)
  return `${printColumn(filter.column)}.${printOperator(filter)}.${text}`
}

const printList = (elements: string[]) => `(${elements.map(quote).join(',')})`

function printOperator({ isNegated, operator, quantifier, language }: Extract<Filter, { kind: 'condition' }>) {
  const argument = quantifier ?? language
  return `${isNegated ? 'not.' : ''}${operator}${argument === undefined ? '' : `(${argument})`}`
}

function printItem(item: SelectItem): string {
  if (item.kind === 'all') return '*'
  if (item.kind === 'embedding') return printEmbedding(item)
  const alias = item.alias === undefined ? '' : `${quote(item.alias)}:`
  const cast = item.cast === undefined ? '' : `::${item.cast}`
  if (item.kind === 'count') return `${alias}count()${cast}`
  const aggregate = item.aggregate ? `.${item.aggregate.name}()${item.aggregate.cast ? `::${item.aggregate.cast}` : ''}` : ''
  return alias + printColumn(item.column) + cast + aggregate
}

function printEmbedding({ relation, alias, hint, join, isSpread, items }: Embedding): string {
  const before = isSpread ? '...' : alias === undefined ? '' : `${quote(alias)}:`
  const modifiers = (hint === undefined ? '' : `!${quote(hint)}`) + (join === 'inner' ? '!inner' : '')
  return `${before}${quote(relation)}${modifiers}(${items.map(printItem).join(',')})`
}

function printTerm({ relation, column, direction, nulls }: OrderTerm): string {
  const subject = relation === undefined ? printColumn(column) : `${quote(relation)}(${printColumn(column)})`
  return `${subject}.${direction}${nulls ? `.nulls${nulls}` : ''}`
}
