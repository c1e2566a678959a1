import type { TableView } from '../../../../../tables/model'
import { textOf } from '../../../values/exact-json'

export type TableRecord = Record<string, unknown>

/**
 * The key of a record as the API has it in paths: its parts with commas between, each percent-encoded. It stands in the addresses of pages, encoded
 * once more by the router, so that a comma in a part stays one.
 */
export const keySegment = ({ primaryKey }: Pick<TableView, 'primaryKey'>, record: TableRecord): string => {
  const segment = primaryKey.map((name) => encodeURIComponent(textOf(record[name]))).join(',')
  // That address is the page for a new record.
  return segment === 'new' ? '%6Eew' : segment
}

/** A name in a query: all but plain ones stand in double quotes. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** The records with these keys, as a condition of a query. @param segments of their addresses */
export function among(primaryKey: readonly string[], segments: readonly string[]): [name: string, value: string] {
  const keys = segments.map((segment) => segment.split(',').map((part) => quoted(decodeURIComponent(part))))
  if (primaryKey.length === 1) return [quoted(primaryKey[0]!), `in.(${keys.join(',')})`]
  const both = (key: string[]) => `and(${key.map((part, index) => `${quoted(primaryKey[index]!)}.eq.${part}`).join(',')})`
  return ['or', `(${keys.map(both).join(',')})`]
}
