import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { keySegment, quoteName, type TableRecord } from '../values/record-key'
import { fetchRecords } from '../values/record-queries'
import { filterParameters, type ListQuery, parseListQuery, type Sort, withoutRefused } from './list-query'
import { findRefused, isRefusal } from './refused-conditions'
import { beyondPosition, sortPositions } from './sort-position'

/**
 * The keys of the previous and next record in a list; null at an end.
 * @param list the query and order; a record outside the list is placed by its values
 */
export const adjacentRecordsQuery = (table: TableView, record: TableRecord, list: ListQuery) =>
  queryOptions({
    queryKey: ['records', table.id, 'adjacent', keySegment(table, record), list, sortPositions(table, record, list.sort)],
    queryFn: async () => {
      const both = (query: ListQuery) => Promise.all([findAdjacent(table, record, query, false), findAdjacent(table, record, query, true)])
      const [before, after] = await both(list).catch(async (error) => {
        if (!isRefusal(error)) throw error
        // Leave out the refused conditions, as the list does. If that fails as well, the service has refused the order.
        return both(withoutRefused(list, await findRefused(table, list))).catch(() => both(parseListQuery({})))
      })
      return { before, after }
    },
  })

async function findAdjacent(table: TableView, record: TableRecord, list: ListQuery, isAfter: boolean): Promise<string | null> {
  const order = sortPositions(table, record, list.sort)
  const direction = ({ isDescending }: Sort) => `${isDescending === isAfter ? 'desc' : 'asc'}.${isAfter ? 'nullslast' : 'nullsfirst'}`
  const [found] = await fetchRecords(table, [
    ...filterParameters(list, table),
    ...(list.q ? [['q', list.q]] : []),
    ['select', table.primaryKey.map(quoteName).join(',')],
    ['or', beyondPosition(order, isAfter)],
    ['order', order.map((each) => `${quoteName(each.column)}.${direction(each)}`).join(',')],
    ['limit', '1'],
  ])
  return found ? keySegment(table, found) : null
}
