import { queryOptions } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { toText } from '../../values/exact-json'
import { type ColumnInfo, titleColumn } from './column'
import { quoteName, type TableRecord } from './record-key'
import { fetchRecords } from './record-queries'

/** A record of another table as an option: its key and its label. */
export type RecordChoice = { value: string; label: string }

const maxChoices = 100

/** The maximum number of keys in a URL. */
const maxKeysInUrl = 100

/** The records that match a text; the first records for an empty text. */
export const recordChoicesQuery = (table: TableView, text: string) =>
  queryOptions({
    queryKey: ['records', table.id, 'choices', text],
    queryFn: ({ signal }) =>
      fetchChoices(table, { order: quoteName(titleColumn(table)), limit: String(maxChoices), ...(text ? { q: text } : {}) }, signal),
  })

/** The number of values that a list of linked records shows beside each name. */
const maxFacts = 3

const factTypes = [
  'text',
  'email',
  'phone',
  'integer',
  'bigint',
  'decimal',
  'float',
  'boolean',
  'date',
  'dateTime',
  'time',
  'duration',
  'select',
  'percent',
  'currency',
]

/** What a list of linked records shows beside each name: the first columns whose values are short. */
export const factColumns = (table: TableView): ColumnInfo[] =>
  table.columns
    .filter(({ name, type }) => factTypes.includes(type) && name !== titleColumn(table) && !table.primaryKey.includes(name))
    .slice(0, maxFacts)

/** The linked records by their keys, with the values of `factColumns`. */
export const linkedRecordsQuery = (table: TableView, keys: readonly string[]) =>
  queryOptions({
    queryKey: ['records', table.id, 'linked', ...keys],
    enabled: keys.length > 0 && factColumns(table).length > 0,
    queryFn: async ({ signal }) => {
      const key = table.primaryKey[0] ?? ''
      const select = [key, ...factColumns(table).map(({ name }) => name)].map(quoteName).join(',')
      const named = keys.slice(0, maxKeysInUrl).map(quoteName)
      const query = { select, [quoteName(key)]: `in.(${named.join(',')})`, limit: String(maxKeysInUrl) }
      const records = await fetchRecords(table, query, signal)
      return new Map(records.map((record: TableRecord) => [toText(record[key]), record]))
    },
  })

/** The labels of linked records. */
export const labelsQuery = (table: TableView, keys: readonly string[]) =>
  queryOptions({
    queryKey: ['records', table.id, 'labels', ...keys],
    enabled: keys.length > 0,
    queryFn: ({ signal }) => fetchLabels(table, keys, signal),
  })

/** The labels of records by their keys. Deleted records are omitted. */
export async function fetchLabels(table: TableView, keys: readonly string[], signal?: AbortSignal): Promise<RecordChoice[]> {
  const found: RecordChoice[] = []
  for (let at = 0; at < keys.length; at += maxKeysInUrl) {
    const named = keys.slice(at, at + maxKeysInUrl).map(quoteName)
    const some = await fetchChoices(
      table,
      { [quoteName(table.primaryKey[0]!)]: `in.(${named.join(',')})`, limit: String(maxKeysInUrl) },
      signal,
    )
    found.push(...some)
  }
  return found
}

async function fetchChoices(table: TableView, query: Record<string, string>, signal?: AbortSignal): Promise<RecordChoice[]> {
  const [key = '', title] = [table.primaryKey[0], titleColumn(table)]
  const select = [...new Set([key, title])].map(quoteName).join(',')
  const records = await fetchRecords(table, { select, ...query }, signal)
  return records.map((record: TableRecord) => ({ value: toText(record[key]), label: toText(record[title]) || toText(record[key]) }))
}
