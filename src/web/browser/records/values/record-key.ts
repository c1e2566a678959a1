import type { TableView } from '../../../../tables/model'
import { toText } from '../../values/exact-json'

export type TableRecord = Record<string, unknown>

/** Whether the user wrote a record that they may not see: the response is then empty. */
export const isUnseen = (record: TableRecord): boolean => Object.keys(record).length === 0

/**
 * A record's key as a path segment of the API: its parts, percent-encoded and joined with commas. In page URLs the
 * router encodes it again, so that an encoded comma stays distinct.
 */
export const keySegment = ({ primaryKey }: Pick<TableView, 'primaryKey'>, record: TableRecord): string => {
  const segment = primaryKey.map((name) => encodeURIComponent(toText(record[name]))).join(',')
  // That URL is the page for a new record.
  return segment === 'new' ? '%6Eew' : segment
}

/** Quotes a name for a query. */
export const quoteName = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** The maximum number of keys in one request. */
export const maxKeysInUrl = 100

/** A filter that matches records by their keys. @param segments path segments of the records */
export function keysFilter(primaryKey: readonly string[], segments: readonly string[]): [name: string, value: string] {
  const keys = segments.map((segment) => segment.split(',').map((part) => quoteName(decodeURIComponent(part))))
  if (primaryKey.length === 1) return [quoteName(primaryKey[0]!), `in.(${keys.join(',')})`]
  const both = (key: string[]) => `and(${key.map((part, index) => `${quoteName(primaryKey[index]!)}.eq.${part}`).join(',')})`
  return ['or', `(${keys.map(both).join(',')})`]
}
