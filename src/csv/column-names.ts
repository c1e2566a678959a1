/** Characters that nobody sees: soft hyphens, and marks of no width, of direction and of the byte order. */
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/**
 * A name without differences that people do not see or do not intend: case, Unicode form, invisible characters, and the
 * kind and number of blanks (a header wrapped by a spreadsheet holds line ends).
 */
export const foldName = (name: string): string =>
  name
    .normalize('NFC')
    .replace(invisible, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    // A capital I with a dot becomes i with a combining dot.
    .replaceAll('i\u0307', 'i')
    // Some letters have several lower-case forms (ß and ss, ς and σ).
    .toUpperCase()

/**
 * Finds a column by a name in the header: by the exact name, else ignoring case, else by the folded name. A name that
 * several columns share finds none.
 */
export function createColumnFinder<Found extends { name: string }>(columns: readonly Found[]): (name: string) => Found | undefined {
  const exact = new Map(columns.map((column) => [column.name, column]))
  const caseless = indexBy(columns, ({ name }) => name.toLowerCase())
  const folded = indexBy(columns, ({ name }) => foldName(name))
  return (name) => {
    const found = exact.get(name) ?? caseless.get(name.toLowerCase()) ?? folded.get(foldName(name))
    return found ?? undefined
  }
}

/** Null marks a name that several columns share. */
function indexBy<Found>(columns: readonly Found[], keyOf: (column: Found) => string): Map<string, Found | null> {
  const index = new Map<string, Found | null>()
  for (const column of columns) {
    const key = keyOf(column)
    index.set(key, index.has(key) ? null : column)
  }
  return index
}
