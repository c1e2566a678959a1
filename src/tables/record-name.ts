import { equal } from '../db/search-path'
import { computedText } from './computed-value'
import { displayColumnOf } from './display-column'
import type { Column, Table } from './model'
import { allowsRead, readableRows } from './row-rules'
import { identifier } from './sql-text'

/** The source of the names of a table's records: `rows` is SQL, `key` and `name` are names of columns. */
export type NameSource = { rows: string; key: string; name: string }

/**
 * The rows have placeholders of `row-rules.ts` if access rules narrow the table. Null if records have no name other
 * than their key.
 */
export function nameSourceOf(target: Table): NameSource | null {
  const display = displayColumnOf(target)
  const [key, ...others] = target.primaryKey
  if (!display || !key || others.length > 0 || display.name === key) return null
  if (!allowsRead(target) || display.access?.visibleIn) return null
  return { rows: display.computed ? computedNames(target, key, display) : readableRows(target), key, name: display.name }
}

/** The table does not store the values of a computed column. */
const computedNames = (target: Table, key: string, { name, computed }: Column): string =>
  `(select t.${identifier(key)}, ${computedText(computed!, 't')} as ${identifier(name)} from ${readableRows(target)} t)`

export const namesOfUsers: NameSource = { rows: 'rowhouse.users', key: 'id', name: 'name' }

/** SQL: a key → the name of its record, or the key itself if it has none. */
export const recordName =
  ({ rows, key: keyColumn, name }: NameSource) =>
  (key: string): string =>
    `coalesce((select nullif(n.${identifier(name)}::text, '') from ${rows} n where n.${identifier(keyColumn)} ${equal} ${key}), (${key})::text)`

/** SQL: a key → the name of the linked record; null if `nameSourceOf` is null. */
export function linkedRecordName(target: Table): ((key: string) => string) | null {
  const source = nameSourceOf(target)
  return source && recordName(source)
}
