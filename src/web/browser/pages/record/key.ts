import type { TableView } from '../../../../tables/model'
import { textOf } from '../../exact-json'

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
