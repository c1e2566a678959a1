import { readItem, writeItem } from './storage'

const key = 'rowhouse-opened-tables'
const maxRemembered = 100

/** When tables were last opened in this browser. @returns ID of the table → time in ISO 8601 */
export function readOpenedTables(): Readonly<Record<string, string>> {
  const value = readItem(key)
  return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {}
}

/** Without storage the tables are listed by name only. */
export function rememberOpenedTable(tableId: string) {
  const { [tableId]: _, ...others } = readOpenedTables()
  const latest = Object.entries(others).slice(0, maxRemembered - 1)
  writeItem(key, { [tableId]: new Date().toISOString(), ...Object.fromEntries(latest) })
}
