import { type ArchiveLimits, damaged, readArchive, WorkbookProblem } from './archive'
import { type CellForm, formOf } from './number-formats'
import { createXmlReader, type XmlHandler } from './xml'

/** The packed bytes of a workbook, from their beginning each time. */
export type PackedBytes = () => AsyncIterable<Uint8Array>

export type Sheet = { name: string; isHidden: boolean; path: string }

/** What the sheets of a workbook refer to. */
export type Workbook = {
  sheets: Sheet[]
  /** Texts that cells refer to by their place. */
  strings: string[]
  /** How a cell shows its number, by its style. */
  forms: CellForm[]
  /** Whether days are counted from 1904. */
  has1904: boolean
}

const maxSharedLength = 256 * 2 ** 20

/** The XML of a part, read whole; only the texts may be large. */
const maxPartBytes = 32 * 2 ** 20

/**
 * Reads everything of a workbook but its cells.
 * @throws WorkbookProblem
 */
export async function readWorkbook(packed: PackedBytes, limits: ArchiveLimits): Promise<Workbook> {
  const targets = new Map<string, string>()
  const listed: { name: string; id: string; isHidden: boolean }[] = []
  const workbook: Workbook = { sheets: [], strings: [], forms: [], has1904: false }
  const readers = {
    'xl/workbook.xml': (): XmlHandler => ({
      open: (name, attributes) => {
        if (name === 'workbookPr') workbook.has1904 = attributes.date1904 === '1' || attributes.date1904 === 'true'
        if (name === 'sheet') {
          const isHidden = attributes.state !== undefined && attributes.state !== 'visible'
          listed.push({ name: attributes.name ?? '', id: attributes.id ?? '', isHidden })
        }
      },
    }),
    'xl/_rels/workbook.xml.rels': (): XmlHandler => ({
      open: (name, { Id, Target, Type = '' }) => {
        if (name === 'Relationship' && Id && Target && Type.endsWith('/worksheet')) targets.set(Id, toPath(Target))
      },
    }),
    'xl/styles.xml': () => stylesHandler(workbook.forms),
    'xl/sharedStrings.xml': () => stringsHandler(workbook.strings),
  }
  const isKnown = (name: string): name is keyof typeof readers => Object.hasOwn(readers, name)
  const open = new Map<string, ReturnType<typeof createXmlReader> & { bytes: number }>()
  for await (const { name, bytes, isLast } of readArchive(packed(), isKnown, limits)) {
    if (!isKnown(name)) continue
    const reader = open.get(name) ?? { ...createXmlReader(readers[name]()), bytes: 0 }
    open.set(name, reader)
    reader.bytes += bytes.length
    if (reader.bytes > maxPartBytes && name !== 'xl/sharedStrings.xml')
      throw new WorkbookProblem(`the part ${name} of the file is too large`)
    reader.write(bytes)
    if (isLast) reader.end()
  }
  workbook.sheets = listed.flatMap(({ name, id, isHidden }) => {
    const path = targets.get(id)
    return path ? [{ name, isHidden, path }] : []
  })
  if (workbook.sheets.length === 0) throw damaged()
  return workbook
}

/** Targets are relative to the folder of the workbook, or to the root. */
const toPath = (target: string): string => (target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`)

/** The form of each cell style (`cellXfs`). */
function stylesHandler(forms: CellForm[]): XmlHandler {
  const codes = new Map<number, string>()
  let isInCells = false
  return {
    open: (name, { numFmtId, formatCode }) => {
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode ?? '')
      if (name === 'cellXfs') isInCells = true
      if (name === 'xf' && isInCells) forms.push(formOf(Number(numFmtId ?? 0), codes))
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false
    },
  }
}

/** The shared texts. Those of several styles are joined; how Japanese is read (`rPh`) is left out. */
function stringsHandler(strings: string[]): XmlHandler {
  let current = ''
  let total = 0
  let isText = false
  let isReading = true
  return {
    open: (name) => {
      if (name === 'si') current = ''
      if (name === 'rPh') isReading = false
      isText = name === 't'
    },
    text: (text) => {
      if (isText && isReading) current += text
    },
    close: (name) => {
      isText = false
      if (name === 'rPh') isReading = true
      if (name !== 'si') return
      total += current.length
      if (total > maxSharedLength) throw new WorkbookProblem('the texts of the file are too large; save it as CSV')
      strings.push(unescapeText(current))
    },
  }
}

/** Characters that XML does not have, as `_x000D_`. */
export const unescapeText = (text: string): string =>
  text.includes('_x') ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))) : text
