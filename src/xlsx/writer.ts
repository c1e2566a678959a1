import { ZipWriter } from '@zip.js/zip.js/lib/zip-core-writer.js'
import { customPropertiesPath, customPropertiesXml } from './custom-properties'
import { textToSerial } from './serial-dates'
import { maxSheetRows } from './sheet-size'

/** How the cells of a column are written. */
export type SheetColumn = {
  name: string
  /** A `duration` is given in seconds. */
  kind: 'text' | 'number' | 'duration' | 'boolean' | 'date' | 'dateTime' | 'time'
  /** The formats of its numbers by their decimals, from none; without any, they are shown as they are. */
  numberFormats?: readonly string[]
}

/** The texts of a record; null for an empty cell. */
type Cells = readonly (string | null)[]

/** The maximum number of characters in a cell (UTF-16). */
const maxCellLength = 32_767

const maxSheetBytes = 2 ** 32 - 1

/**
 * Sizes follow the data, which is sent while it is made. Level 3 takes two thirds of the time of level 6 and produces a
 * tenth more bytes.
 */
const zipOptions = { dataDescriptor: true, zip64: false, level: 3, useWebWorkers: false, extendedTimestamp: false }

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageRelationships = 'http://schemas.openxmlformats.org/package/2006/relationships'
const contentTypes = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/**
 * Writes a workbook of one sheet, row by row (ECMA-376). Texts are inline strings, which no program takes for formulas.
 * Each function returns the next bytes of the file, which may be empty.
 * @param timeZone of the timestamps in it
 */
export function createSheetWriter(sheetName: string, columns: readonly SheetColumn[], timeZone: string) {
  const ready: Uint8Array[] = []
  const zip = new ZipWriter(new WritableStream<Uint8Array>({ write: (chunk) => void ready.push(chunk) }), zipOptions)
  const take = () => Buffer.concat(ready.splice(0))
  const add = (path: string, xml: string) => zip.add(path, new Blob([xmlHead + xml]).stream(), { level: 0 })
  const styles = createStyles(columns)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const sheet = writable.getWriter()
  let adding: Promise<unknown>
  let rows = 1
  let bytes = 0
  /** Sizes in this ZIP format have 32 bits. */
  const push = async (xml: string) => {
    const piece = Buffer.from(xml)
    bytes += piece.length
    if (bytes >= maxSheetBytes) throw new Error(`A sheet holds at most ${maxSheetBytes} bytes.`)
    await sheet.write(piece)
  }
  /** The widths of the columns come before the cells, so they follow the first records. */
  const headBefore = (records: readonly Cells[]): string => (bytes === 0 ? xmlHead + sheetHead(columns, records) : '')
  return {
    begin: async (): Promise<Uint8Array> => {
      await add('[Content_Types].xml', contentTypesXml)
      await add(
        '_rels/.rels',
        relationsXml([
          ['officeDocument', 'xl/workbook.xml'],
          ['custom-properties', customPropertiesPath],
        ]),
      )
      await add(customPropertiesPath, customPropertiesXml(timeZone))
      await add('xl/workbook.xml', workbookXml(sheetName))
      await add(
        'xl/_rels/workbook.xml.rels',
        relationsXml([
          ['worksheet', 'worksheets/sheet1.xml'],
          ['styles', 'styles.xml'],
        ]),
      )
      await add('xl/styles.xml', styles.xml)
      adding = zip.add('xl/worksheets/sheet1.xml', readable)
      // Also thrown by the next `write`, and by `end`.
      adding.catch(() => {})
      return take()
    },
    /** @param records their texts as PostgreSQL writes them */
    write: async (records: readonly Cells[]): Promise<Uint8Array> => {
      let xml = headBefore(records)
      for (const cells of records) {
        if (++rows > maxSheetRows) throw new Error(`A sheet holds at most ${maxSheetRows} rows.`)
        xml += `<row r="${rows}">`
        for (const [index, text] of cells.entries()) {
          if (text !== null && text !== '')
            xml += cellXml(`${columnLetters(index)}${rows}`, text, columns[index]!.kind, styles.of(index, text))
        }
        xml += '</row>'
      }
      await push(xml)
      return take()
    },
    end: async (): Promise<Uint8Array> => {
      const range = `A1:${columnLetters(Math.max(0, columns.length - 1))}${rows}`
      await push(`${headBefore([])}</sheetData><autoFilter ref="${range}"/></worksheet>`)
      await sheet.close()
      await adding
      await zip.close()
      return take()
    },
  }
}

/** A, B … Z, AA … @param index from 0 */
export function columnLetters(index: number): string {
  let letters = ''
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

const secondsPerDay = 86_400

function cellXml(reference: string, text: string, kind: SheetColumn['kind'], style: number): string {
  if (kind === 'duration' && isExactNumber(text)) return `<c r="${reference}" s="${style}"><v>${Number(text) / secondsPerDay}</v></c>`
  if (kind === 'number' && isExactNumber(text)) return `<c r="${reference}" s="${style}"><v>${text}</v></c>`
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return `<c r="${reference}" t="b"><v>${text === 'true' ? 1 : 0}</v></c>`
  if (kind === 'date' || kind === 'dateTime' || kind === 'time') {
    const serial = textToSerial(text)
    if (serial !== null) return `<c r="${reference}" s="${style}"><v>${/\.\d{4}/.test(text) ? serial.toPrecision(17) : serial}</v></c>`
  }
  return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escapeText(shorten(text))}</t></is></c>`
}

/** Spreadsheets calculate with 15 digits, so a longer number is stored unchanged, as text. */
const isExactNumber = (text: string) =>
  /^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(text) &&
  text
    .replace(/e.*/, '')
    .replace(/^-?0*\.?0*|\./g, '')
    .replace(/(?<!0)0+$/, '').length <= 15

const shorten = (text: string) =>
  text.length > maxCellLength ? `${text.slice(0, maxCellLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : text

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML has no control characters: workbooks write them as `_x0001_`, and an underscore that looks so as `_x005F_`. */
const escapeText = (text: string): string =>
  text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\u0000-\u0008\u000b\u000c\r\u000e-\u001f\ufffe\uffff]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>"]/g, (character) => entities[character]!)

/** A sheet name: at most 31 characters, without `: \ / ? * [ ]`, and without an apostrophe at either end. */
export const toSheetName = (name: string): string =>
  name
    .replace(/[:\\/?*[\]]/g, ' ')
    .slice(0, 31)
    .replace(/^['\s]+|['\s]+$/g, '') || 'Sheet1'

const workbookXml = (name: string) =>
  `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets><sheet name="${escapeText(toSheetName(name))}" sheetId="1" r:id="rId1"/></sheets></workbook>`

const relationsXml = (relations: [type: string, target: string][]) =>
  `<Relationships xmlns="${packageRelationships}">${relations
    .map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${relationships}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

const contentTypesXml = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentTypes}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${contentTypes}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${contentTypes}.styles+xml"/><Override PartName="/${customPropertiesPath}" ContentType="application/vnd.openxmlformats-officedocument.custom-properties+xml"/></Types>`

const maxWidth = 60

/** In characters. A text that does not fit is cut off, and a number is shown as ####. */
function columnWidth({ name, kind, numberFormats }: SheetColumn, index: number, records: readonly Cells[]): number {
  let width = Math.max(name.length + 4, kind === 'dateTime' ? 20 : kind === 'text' || numberFormats ? 18 : 12)
  if (kind === 'text')
    for (const cells of records) for (const line of (cells[index] ?? '').split('\n', 5)) width = Math.max(width, line.length + 2)
  return Math.min(maxWidth, width)
}

/** The header is bold and stays in view. */
function sheetHead(columns: readonly SheetColumn[], records: readonly Cells[]): string {
  const widths = columns.map((column, index) => {
    const width = columnWidth(column, index, records)
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`
  })
  const heads = columns.map(
    ({ name }, index) => `<c r="${columnLetters(index)}1" s="1" t="inlineStr"><is><t xml:space="preserve">${escapeText(name)}</t></is></c>`,
  )
  const view = '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>'
  return `<worksheet xmlns="${main}"><sheetViews>${view}</sheetViews>${widths.length ? `<cols>${widths.join('')}</cols>` : ''}<sheetData><row r="1">${heads.join('')}</row>`
}

const codeOf: Partial<Record<SheetColumn['kind'], string>> = {
  dateTime: 'yyyy-mm-dd hh:mm',
  time: 'hh:mm:ss',
  duration: '[h]:mm:ss',
}

/** Zeros at the end do not count. */
const decimalsIn = (text: string): number => /\.(\d*[1-9])/.exec(text)?.[1]?.length ?? 0

/** The style of each cell. Number formats below 164 are built in; 14 is a date as in the reader's country. */
function createStyles(columns: readonly SheetColumn[]): { xml: string; of: (column: number, text: string) => number } {
  const codes: string[] = []
  const idOf = (code: string): number => {
    if (!codes.includes(code)) codes.push(code)
    return 164 + codes.indexOf(code)
  }
  const formats = columns.map(({ kind, numberFormats = [codeOf[kind]] }) =>
    numberFormats.map((code) => (kind === 'date' ? 14 : code === undefined ? 0 : idOf(code))),
  )
  const distinct = [...new Set(formats.flat())]
  const font = '<font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font>'
  const cell = (format: number, fontId = 0) =>
    `<xf numFmtId="${format}" fontId="${fontId}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"${fontId ? ' applyFont="1"' : ''}/>`
  const formatsXml = codes.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escapeText(code)}"/>`).join('')
  const cells = [cell(0), cell(0, 1), ...distinct.map((format) => cell(format))]
  const styles = formats.map((ids) => ids.map((id) => 2 + distinct.indexOf(id)))
  return {
    of: (column, text) => {
      const ofColumn = styles[column]!
      return ofColumn[ofColumn.length > 1 ? Math.min(decimalsIn(text), ofColumn.length - 1) : 0]!
    },
    xml: `<styleSheet xmlns="${main}">${codes.length ? `<numFmts count="${codes.length}">${formatsXml}</numFmts>` : ''}<fonts count="2">${font}</fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${cells.length}">${cells.join('')}</cellXfs></styleSheet>`,
  }
}
