const key = 'rowhouse-opened-tables'
const maxRemembered = 100

/** When tables were last opened in this browser. @returns ID of the table → time in ISO 8601 */
export function readOpenedTables(): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {}
  } catch {
    // Storage can be forbidden, or hold what something else wrote.
    return {}
  }
}

export function rememberOpenedTable(tableId: string) {
  const { [tableId]: _, ...others } = readOpenedTables()
  const latest = Object.entries(others).slice(0, maxRemembered - 1)
  try {
    localStorage.setItem(key, JSON.stringify({ [tableId]: new Date().toISOString(), ...Object.fromEntries(latest) }))
  } catch {
    // Without storage the tables are listed by name only.
  }
}
