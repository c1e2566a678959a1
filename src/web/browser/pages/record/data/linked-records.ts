import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../../tables/model'
import { textOf } from '../../../values/exact-json'
import { titleColumn } from './column'
import { quoted, type TableRecord } from './record-key'
import { listRecords } from './record-queries'

/** A record of another table, to choose it: its key, and the words by which people know it. */
export type Choice = { value: string; label: string }

const mostShown = 100

/** An address has room for about so many keys. */
const mostNamed = 100

/** The records that hold a text; the first ones of all for none. */
export const choicesQuery = (table: TableView, text: string) =>
  queryOptions({
    queryKey: ['records', table.id, 'choices', text],
    queryFn: ({ signal }) =>
      read(table, { order: quoted(titleColumn(table)), limit: String(mostShown), ...(text ? { q: text } : {}) }, signal),
  })

/** The words for records that are linked already. */
export const labelsQuery = (table: TableView, keys: readonly string[]) =>
  queryOptions({
    queryKey: ['records', table.id, 'labels', ...keys],
    enabled: keys.length > 0,
    queryFn: ({ signal }) => readLabels(table, keys, signal),
  })

/** The words for records, by their keys; those that are gone are left out. */
export async function readLabels(table: TableView, keys: readonly string[], signal?: AbortSignal): Promise<Choice[]> {
  const found: Choice[] = []
  for (let at = 0; at < keys.length; at += mostNamed) {
    const named = keys.slice(at, at + mostNamed).map(quoted)
    const some = await read(table, { [quoted(table.primaryKey[0]!)]: `in.(${named.join(',')})`, limit: String(mostNamed) }, signal)
    found.push(...some)
  }
  return found
}

async function read(table: TableView, query: Record<string, string>, signal?: AbortSignal): Promise<Choice[]> {
  const [key = '', title] = [table.primaryKey[0], titleColumn(table)]
  const select = [...new Set([key, title])].map(quoted).join(',')
  const records = await listRecords(table, { select, ...query }, signal)
  return records.map((record: TableRecord) => ({ value: textOf(record[key]), label: textOf(record[title]) || textOf(record[key]) }))
}
