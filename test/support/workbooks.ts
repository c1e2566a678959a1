import { strToU8, zipSync } from 'fflate'

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

type WorkbookParts = {
  /** The rows of each sheet, as XML. */
  sheets: Record<string, string>
  /** Shared texts, as XML between `<si>` and `</si>`. */
  strings?: string[]
  /** Number formats by id: each is the style at the same position, from 1. */
  formats?: [id: number, code?: string][]
  has1904?: boolean
  hidden?: string[]
}

/** A workbook as Excel writes it. */
export const makeWorkbook = (parts: WorkbookParts): Buffer => packParts(makeParts(parts))

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${relationships}/${type}" Target="${target}"/>`

/** The XML of each part, by its path. */
export function makeParts({ sheets, strings = [], formats = [], has1904 = false, hidden = [] }: WorkbookParts): Record<string, string> {
  const names = Object.keys(sheets)
  const list = names.map(
    (name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"${hidden.includes(name) ? ' state="hidden"' : ''}/>`,
  )
  const relations = [
    ...names.map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)),
    ...['styles', 'sharedStrings'].map((part) => relation(part, part, `${part}.xml`)),
  ]
  const own = formats.flatMap(([id, code]) => (code === undefined ? [] : [`<numFmt numFmtId="${id}" formatCode="${code}"/>`]))
  const styles = formats.map(([id]) => `<xf numFmtId="${id}"/>`)
  return {
    'xl/workbook.xml': `<workbook ${main} xmlns:r="${relationships}"><workbookPr${has1904 ? ' date1904="1"' : ''}/><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}</Relationships>`,
    ...Object.fromEntries(
      names.map((name, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet ${main}><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    'xl/styles.xml': `<styleSheet ${main}><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst ${main}>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
  }
}

/** @param level 0 stores the parts without compression */
export const packParts = (parts: Record<string, string>, level: 0 | 6 = 6): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(Object.entries(parts).map(([path, xml]) => [path, strToU8(`<?xml version="1.0" encoding="UTF-8"?>${xml}`)])),
      { level },
    ),
  )

/** A row of inline texts; numbers are numbers. */
export const rowOf = (row: number, ...cells: (string | number | null)[]): string =>
  `<row r="${row}">${cells
    .map((cell, at) => {
      const reference = `${String.fromCharCode(65 + at)}${row}`
      if (cell === null) return ''
      return typeof cell === 'number'
        ? `<c r="${reference}"><v>${cell}</v></c>`
        : `<c r="${reference}" t="inlineStr"><is><t>${cell}</t></is></c>`
    })
    .join('')}</row>`
