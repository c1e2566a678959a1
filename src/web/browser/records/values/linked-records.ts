import { queryOptions } from '@tanstack/react-query'
import { shortColumns } from '../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../tables/model'
import { toText } from '../../values/exact-json'
import { displayText } from './cell-text'
import { type ColumnInfo, isGeneratedKey, titleColumn } from './column'
import { maxKeysInUrl, quoteName, type TableRecord } from './record-key'
import { fetchRecords } from './record-queries'

/** A record of another table as an option: its key, its label, and values that distinguish it. */
export type RecordChoice = { value: string; label: string; record: TableRecord }

const maxChoices = 100

/**
 * The records that match a text; the first records for an empty text.
 * @param link the column of these records that can link to one record: records without a link come first
 */
export const recordChoicesQuery = (table: TableView, text: string, link?: string) =>
  queryOptions({
    queryKey: ['records', table.id, 'choices', text, link],
    staleTime: 0,
    queryFn: ({ signal }) => {
      const order = [...(link === undefined ? [] : [`${quoteName(link)}.asc.nullsfirst`]), quoteName(titleColumn(table))].join(',')
      return fetchChoices(table, { order, limit: String(maxChoices), ...(text ? { q: text } : {}) }, choiceColumns(table, link), signal)
    },
  })

/** The values that a list of linked records shows beside each name: the first columns with short values. */
export const factColumns = (table: TableView): ColumnInfo[] => shortColumns(table.columns, [...table.primaryKey, titleColumn(table)])

/** These values of a record as a text. */
export const factsText = (table: TableView, record: TableRecord | undefined, words: { yes: string; no: string }): string =>
  factColumns(table)
    .map((column) => {
      const text = displayText(record?.[column.name], column, words)
      return text && column.type === 'boolean' ? `${column.name}: ${text}` : text
    })
    .filter(Boolean)
    .join(' · ')

/** The name of a record in one line; its first values instead of a generated key, which says less. */
export const recordTitle = (table: TableView, record: TableRecord, words: { yes: string; no: string }): string => {
  const title = titleColumn(table)
  return (isGeneratedKey(table, title) && factsText(table, record, words)) || toText(record[title]).split('\n')[0]!
}

/** The labels of linked records. @param link as for `recordChoicesQuery` */
export const labelsQuery = (table: TableView, keys: readonly string[], link?: string) =>
  queryOptions({
    queryKey: ['records', table.id, 'labels', link, ...keys],
    enabled: keys.length > 0,
    queryFn: ({ signal }) => fetchLabels(table, keys, signal, choiceColumns(table, link)),
  })

const choiceColumns = (table: TableView, link: string | undefined): string[] => [
  ...factColumns(table).map(({ name }) => name),
  ...(link === undefined ? [] : [link]),
]

/** The labels of records by their keys, with the values of `columns`. Deleted records are omitted. */
export async function fetchLabels(
  table: TableView,
  keys: readonly string[],
  signal?: AbortSignal,
  columns: readonly string[] = [],
): Promise<RecordChoice[]> {
  const found: RecordChoice[] = []
  for (let at = 0; at < keys.length; at += maxKeysInUrl) {
    const named = keys.slice(at, at + maxKeysInUrl).map(quoteName)
    const query = { [quoteName(table.primaryKey[0]!)]: `in.(${named.join(',')})`, limit: String(maxKeysInUrl) }
    found.push(...(await fetchChoices(table, query, columns, signal)))
  }
  return found
}

async function fetchChoices(
  table: TableView,
  query: Record<string, string>,
  columns: readonly string[],
  signal?: AbortSignal,
): Promise<RecordChoice[]> {
  const [key = '', title] = [table.primaryKey[0], titleColumn(table)]
  const select = [...new Set([key, title, ...columns])].map(quoteName).join(',')
  const records = await fetchRecords(table, { select, ...query }, signal)
  return records.map((record) => ({ value: toText(record[key]), label: toText(record[title]) || toText(record[key]), record }))
}
