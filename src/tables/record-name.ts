import { equal } from '../db/search-path'
import { displayColumnOf } from './display-column'
import type { Table } from './model'
import { allowsRead, readableRows } from './row-rules'
import { identifier } from './sql-text'

/** SQL: the name of the record with this key, or the key itself where it has none. */
export const recordName = (from: string, keyColumn: string, nameColumn: string, key: string): string =>
  `coalesce((select nullif(n.${identifier(nameColumn)}::text, '') from ${from} n where n.${identifier(keyColumn)} ${equal} ${key}), (${key})::text)`

/**
 * SQL: a key → the name of the linked record, with placeholders of `row-rules.ts` where rules narrow its table. Null
 * where records have no other name than their key.
 */
export function linkedRecordName(target: Table): ((key: string) => string) | null {
  const display = displayColumnOf(target)
  const [primaryKey, ...others] = target.primaryKey
  // What is computed is in no column of the table.
  if (!display || display.computed || !primaryKey || others.length > 0 || display.name === primaryKey) return null
  if (!allowsRead(target) || display.access?.visibleIn) return null
  return (key) => recordName(readableRows(target), primaryKey, display.name, key)
}
