import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { textOf } from './exact-json'
import { keySegment, listRecords, quoted, type TableRecord } from './record-data'

/**
 * The records before or after one, by the key: its first part is further on, or the same and the next one is further on …
 * @param keys the columns of the key with the values of this record
 */
export function beyond(keys: readonly [name: string, value: string][], operator: 'gt' | 'lt'): string {
  const steps = keys.map(([name, value], index) => {
    const same = keys.slice(0, index).map(([before, its]) => `${quoted(before)}.eq.${quoted(its)}`)
    const step = [...same, `${quoted(name)}.${operator}.${quoted(value)}`]
    return step.length === 1 ? step[0] : `and(${step.join(',')})`
  })
  return `(${steps.join(',')})`
}

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
