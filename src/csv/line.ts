/**
 * One line of a file without its end, quoted as PostgreSQL quotes (RFC 4180): only what needs it, and an empty text.
 */
export const csvLine = (cells: readonly string[], delimiter: string): string =>
  cells.map((cell) => (needsQuotes(cell, delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)

const needsQuotes = (cell: string, delimiter: string) => cell === '' || cell === '\\.' || /["\r\n]/.test(cell) || cell.includes(delimiter)

/**
 * The cells of one record without its line end, read as PostgreSQL reads them: quotes toggle, and `""` within is one.
 */
export function readLine(text: string, delimiter: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    if (character === '"') {
      if (isQuoted && text[i + 1] === '"') {
        cell += '"'
        i++
      } else isQuoted = !isQuoted
    } else if (character === delimiter && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell]
}
