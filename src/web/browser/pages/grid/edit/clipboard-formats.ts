/** Rows of cells, as spreadsheets copy them. */
export type CellBlock = string[][]

const needsQuotes = /["\t\n\r]/

export const toTsv = (block: CellBlock): string =>
  block.map((line) => line.map((text) => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join('\t')).join('\n')

/**
 * The text of a range for other programs. A single cell is not quoted: it is often pasted into plain text, such as a
 * message.
 */
export const toClipboardLines = (block: CellBlock): string => (block.length === 1 && block[0]!.length === 1 ? block[0]![0]! : toTsv(block))

const escaped: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Marks a cell as text for Excel and LibreOffice, so that `=1+1`, `007` and `1e5` stay as they are. */
const asText = ` style="mso-number-format:'\\@'" sdnum="1033;0;@"`

/** A line break within a cell: without the style, spreadsheets start another row. */
const brokenLine = '<br style="mso-data-placement:same-cell">'

/** @param isText whether the column at an index holds text; without it, the table has no styles */
export const toHtmlTable = (block: CellBlock, isText?: (column: number) => boolean): string => {
  const contentOf = (text: string) => text.replace(/[&<>"]/g, (sign) => escaped[sign]!).replace(/\r\n|\n|\r/g, isText ? brokenLine : '<br>')
  const cell = (text: string, column: number) => `<td${isText?.(column) ? asText : ''}>${contentOf(text)}</td>`
  return `<table><tbody>${block.map((line) => `<tr>${line.map(cell).join('')}</tr>`).join('')}</tbody></table>`
}

/** The content of a cell with links, for pasting within Rowhouse: the links' source and keys. */
export type CopiedLink = { source: string; keys: string[] }

/** Copied cells by row and column: the exact texts, which tab-separated lines can lose, and the links. */
export type CopiedCells = { block: CellBlock; links: (CopiedLink | undefined)[][] }

/** The type of the clipboard for `CopiedCells`, as JSON. */
export const copiedCellsType = 'application/x-rowhouse-cells'

/** Validates the text, since any page can put text of this type into the clipboard. */
export function parseCopiedCells(text: string): CopiedCells | null {
  try {
    const { block, links } = JSON.parse(text) as Partial<CopiedCells>
    return isBlock(block) && Array.isArray(links)
      ? { block, links: links.map((row: unknown) => (Array.isArray(row) ? row.map(toCopiedLink) : [])) }
      : null
  } catch {
    return null
  }
}

const isBlock = (block: unknown): block is CellBlock =>
  Array.isArray(block) &&
  block.length > 0 &&
  block.every((row: unknown) => Array.isArray(row) && row.length > 0 && row.every((text) => typeof text === 'string'))

function toCopiedLink(cell: unknown): CopiedLink | undefined {
  const { source, keys } = (cell ?? {}) as Partial<CopiedLink>
  const isLink = typeof source === 'string' && Array.isArray(keys) && keys.every((key) => typeof key === 'string')
  return isLink ? { source, keys } : undefined
}

/** Parses tab-separated lines with quoted cells. A quote inside an unquoted cell is literal. */
export function parseTsv(text: string): CellBlock {
  const block: CellBlock = [[]]
  const cells = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\n|\r|$)/y
  for (let match = cells.exec(text); match; match = cells.exec(text)) {
    const [, inQuotes, bare = '', end] = match
    block.at(-1)!.push(inQuotes === undefined ? bare : inQuotes.replaceAll('""', '"'))
    if (end === '') break
    if (end !== '\t') {
      // The last line break does not start another row.
      if (cells.lastIndex >= text.length) break
      block.push([])
    }
  }
  return block
}

/**
 * The place where a block is pasted.
 * @param range the selected cells
 * @param size the numbers of columns and of rows; the last row is the empty one for typing
 * @returns `added` are the lines of the block that become new records, `lost` the number of columns beyond the last one
 */
export function pasteShape(
  block: CellBlock,
  { top, left }: { top: number; left: number },
  size: { rows: number; columns: number },
): { isOne: boolean; top: number; left: number; right: number; added: number[]; lost: number } {
  const width = Math.max(...block.map((line) => line.length))
  const lines = block.map((_line, index) => index)
  const isFilled = (line: number) => block[line]!.some((text) => text !== '')
  return {
    isOne: block.length === 1 && width === 1,
    top,
    left,
    right: Math.min(size.columns, left + width) - 1,
    added: lines.filter((line) => top + line >= size.rows - 1 && isFilled(line)),
    lost: Math.max(0, left + width - size.columns),
  }
}
