import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { textOf } from '../../exact-json'
import { beyond, keySegment, quoted, type TableRecord } from './key'
import { listRecords } from './record-data'

/** The keys of the records before and after this one; null at an end. */
export const neighboursQuery = (table: TableView, record: TableRecord) =>
  queryOptions({
    queryKey: ['records', table.id, 'neighbours', keySegment(table, record)],
    queryFn: async () => {
      const [before, after] = await Promise.all([find(table, record, 'lt'), find(table, record, 'gt')])
      return { before, after }
    },
  })

async function find(table: TableView, record: TableRecord, operator: 'gt' | 'lt'): Promise<string | null> {
  const direction = operator === 'gt' ? 'asc' : 'desc'
  const [found] = await listRecords(table, {
    select: table.primaryKey.map(quoted).join(','),
    or: beyond(
      table.primaryKey.map((name) => [name, textOf(record[name])]),
      operator,
    ),
    order: table.primaryKey.map((name) => `${quoted(name)}.${direction}`).join(','),
    limit: '1',
  })
  return found ? keySegment(table, found) : null
}
