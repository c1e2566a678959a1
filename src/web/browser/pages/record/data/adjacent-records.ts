import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../../tables/model'
import { Refusal } from '../../../api/api-error'
import { filterPairs, type Query, type Sort } from '../../grid/data/list-query'
import { keySegment, quoted, type TableRecord } from './record-key'
import { listRecords } from './record-queries'
import { beyond, standings } from './sort-position'

/**
 * The keys of the records before and after this one in a list; null at an end.
 * @param list what the list finds, and its order; a record that it does not find stands where it would
 */
export const neighboursQuery = (table: TableView, record: TableRecord, list: Query) =>
  queryOptions({
    queryKey: ['records', table.id, 'neighbours', keySegment(table, record), list, standings(table, record, list.sort)],
    queryFn: async () => {
      const both = (query: Query) => Promise.all([find(table, record, query, false), find(table, record, query, true)])
      const [before, after] = await both(list).catch((error) => {
        // What the list was asked for is none of this table's any more, or nothing to compare by.
        if (error instanceof Refusal && error.status === 400) return both({ q: '', sort: [], conditions: [], rest: [] })
        throw error
      })
      return { before, after }
    },
  })

async function find(table: TableView, record: TableRecord, list: Query, isAfter: boolean): Promise<string | null> {
  const order = standings(table, record, list.sort)
  const direction = ({ isDescending }: Sort) => (isDescending === isAfter ? 'desc' : 'asc')
  const [found] = await listRecords(table, [
    ...filterPairs(list),
    ...(list.q ? [['q', list.q]] : []),
    ['select', table.primaryKey.map(quoted).join(',')],
    ['or', beyond(order, isAfter)],
    ['order', order.map((each) => `${quoted(each.column)}.${direction(each)}`).join(',')],
    ['limit', '1'],
  ])
  return found ? keySegment(table, found) : null
}
