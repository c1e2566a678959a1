/** Rows of texts, as spreadsheets exchange them. */
export type Block = string[][]

const needsQuotes = /["\t\n\r]/

export const writeTsv = (block: Block): string =>
  block.map((line) => line.map((text) => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join('\t')).join('\n')

const escaped: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '<br>' }

export const writeHtml = (block: Block): string => {
  const cell = (text: string) => `<td>${text.replace(/[&<>"\n]/g, (sign) => escaped[sign]!)}</td>`
  return `<table><tbody>${block.map((line) => `<tr>${line.map(cell).join('')}</tr>`).join('')}</tbody></table>`
}

/** Tabs and lines, with quotes around what holds them. A quote within a text that does not begin with one is itself. */
export function readTsv(text: string): Block {
  const block: Block = [[]]
  const cells = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\n|\r|$)/y
  for (let match = cells.exec(text); match; match = cells.exec(text)) {
    const [, inQuotes, bare = '', end] = match
    block.at(-1)!.push(inQuotes === undefined ? bare : inQuotes.replaceAll('""', '"'))
    if (end === '') break
    if (end !== '\t') {
      // The end of the last line begins no other.
      if (cells.lastIndex >= text.length) break
      block.push([])
    }
  }
  return block
}
