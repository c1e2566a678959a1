/**
 * One line of a file without its end, quoted like PostgreSQL does (RFC 4180): only cells that need it, and an empty
 * text.
 */
export const csvLine = (cells: readonly string[], delimiter: string): string =>
  cells.map((cell) => (needsQuotes(cell, delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)

const needsQuotes = (cell: string, delimiter: string) => cell === '' || cell === '\\.' || /["\r\n]/.test(cell) || cell.includes(delimiter)
