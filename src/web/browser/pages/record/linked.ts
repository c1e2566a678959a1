import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { titleColumn } from './column'
import { textOf } from './exact-json'
import { quoted, type TableRecord } from './key'
import { listRecords } from './record-data'

/** A record of another table, to choose it: its key, and the words by which people know it. */
export type Choice = { value: string; label: string }

const mostShown = 20

/** An address has room for about so many keys. */
const mostNamed = 200

/** The records that hold a text; the first ones of all for none. */
export const choicesQuery = (table: TableView, text: string) =>
  queryOptions({
    queryKey: ['records', table.id, 'choices', text],
    queryFn: () => read(table, { order: quoted(titleColumn(table)), limit: String(mostShown), ...(text ? { q: text } : {}) }),
  })

/** The words for records that are linked already. */
export const labelsQuery = (table: TableView, keys: readonly string[]) =>
  queryOptions({
    queryKey: ['records', table.id, 'labels', ...keys],
    enabled: keys.length > 0,
    queryFn: () =>
      read(table, { [quoted(table.primaryKey[0]!)]: `in.(${keys.slice(0, mostNamed).map(quoted).join(',')})`, limit: '10000' }),
  })

async function read(table: TableView, query: Record<string, string>): Promise<Choice[]> {
  const [key = '', title] = [table.primaryKey[0], titleColumn(table)]
  const select = [...new Set([key, title])].map(quoted).join(',')
  const records = await listRecords(table, { select, ...query })
  return records.map((record: TableRecord) => ({ value: textOf(record[key]), label: textOf(record[title]) || textOf(record[key]) }))
}
