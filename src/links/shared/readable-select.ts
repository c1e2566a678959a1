import { notFound } from '../../errors'
import { translatable } from '../../messages/message'
import type { Pair } from '../../records/query/parse/pairs'
import { parseQuery } from '../../records/query/parse/query'
import { isShowing } from '../../records/query/plan/renames'
import { printQuery } from '../../records/query/print'
import type { SelectItem } from '../../records/query/tree'
import type { Tables } from '../../tables/catalog/catalog'
import { findRelationships } from '../../tables/catalog/links/relationships'
import type { Table } from '../../tables/model'

/**
 * Removes those columns from a query's select that the issuer may no longer read, also within linked records. Filters
 * stay: without one, a link would show more than intended.
 * @throws Failure not_found if no column is left, or if an aggregate lacks its column: without it, the link would show
 * single records in place of groups
 */
export function readableSelect(tables: Tables, table: Table, pairs: Pair[]): Pair[] {
  return pairs.flatMap((pair): Pair[] => {
    const [name, value] = pair
    if (name !== 'select') return [pair]
    const query = parseQuery([['select', value]], 'native')
    const select = readableItems(tables, table, query.select)
    if (query.select.some(isShowing) && !select.some(isShowing)) throw closed()
    return printQuery({ ...query, select })
  })
}

function readableItems(tables: Tables, table: Table, items: SelectItem[]): SelectItem[] {
  return items.flatMap((item): SelectItem[] => {
    if (item.kind === 'embedding') {
      const [found, ...others] = findRelationships(tables, table, item.relation, item.hint)
      // Without columns it shows no values, and filters and !inner still apply.
      return [found && others.length === 0 ? { ...item, items: readableItems(tables, found.to, item.items) } : item]
    }
    if (item.kind !== 'column') return [item]
    const { column, aggregate } = item
    if (table.columns.some(({ name, isReadable }) => name === column.name && isReadable)) return [item]
    if (aggregate) throw closed()
    return column.name === 'count' ? [item] : []
  })
}

const closed = () => notFound(translatable('No route matches this URL.'))
