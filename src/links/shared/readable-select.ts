import { notFound } from '../../errors'
import { translatable } from '../../messages/message'
import type { Pair } from '../../records/query/parse/pairs'
import { parseQuery } from '../../records/query/parse/query'
import type { Table } from '../../tables/model'

/**
 * Removes those columns from a query's select that the issuer may no longer read. Filters stay: without one, a link
 * would show more than intended.
 * @throws Failure not_found if no column is left
 */
export function readableSelect(table: Table, pairs: Pair[]): Pair[] {
  return pairs.map((pair): Pair => {
    const [name, value] = pair
    if (name !== 'select') return pair
    const items = splitItems(value).filter((item) => isReadableItem(table, item))
    if (items.length === 0) throw notFound(translatable('No route matches this URL.'))
    return [name, items.join(',')]
  })
}

function isReadableItem({ columns }: Table, text: string): boolean {
  const [item] = parseQuery([['select', text]], 'native').select
  if (item?.kind !== 'column') return true
  return columns.some(({ name, isReadable }) => name === item.column.name && isReadable) || item.column.name === 'count'
}

/** Splits at commas outside of parentheses and quotes. */
function splitItems(text: string): string[] {
  const items: string[] = []
  let [start, depth, isQuoted] = [0, 0, false]
  for (let index = 0; index < text.length; index++) {
    const sign = text[index]
    if (isQuoted && sign === '\\') index++
    else if (sign === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (sign === '(') depth++
    else if (sign === ')') depth--
    else if (sign === ',' && depth === 0) {
      items.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...items, text.slice(start)]
}
