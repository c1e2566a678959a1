import { type Archive, damaged, WorkbookProblem } from './archive'
import { timeZoneProperty } from './custom-properties'
import { type CellForm, formOf } from './number-formats'
import { createXmlReader, type XmlHandler } from './xml'

export type Sheet = { name: string; isHidden: boolean; path: string }

/** The shared parts that the sheets of a workbook refer to. */
export type Workbook = {
  sheets: Sheet[]
  /** Texts that cells refer to by their position. */
  strings: string[]
  /** How a cell shows its number, by its style. */
  forms: CellForm[]
  /** Whether days are counted from 1904. */
  has1904: boolean
  /** The zone of its timestamps, which workbooks of Rowhouse contain. */
  timeZone?: string
}

/** The limit of all shared texts together; each counts for its length and `sharedTextCost`. */
const maxSharedLength = 256 * 2 ** 20
const sharedTextCost = 16

/** The XML of a part that is read whole; only the texts may be large. */
const maxPartBytes = 32 * 2 ** 20

type Relation = { type: string; path: string }

/**
 * Reads everything of a workbook but its cells.
 * @throws WorkbookProblem
 */
export async function readWorkbook(archive: Archive): Promise<Workbook> {
  const roots = await readRelations(archive, '_rels/.rels', '')
  const path = [...roots.values()].find(({ type }) => type === 'officeDocument')?.path ?? 'xl/workbook.xml'
  const [, folder = '', file = ''] = /^(.*\/)?([^/]+)$/.exec(path) ?? []
  const relations = await readRelations(archive, `${folder}_rels/${file}.rels`, folder)
  const workbook: Workbook = { sheets: [], strings: [], forms: [], has1904: false }
  await readPart(archive, path, {
    open: (name, { date1904, state = 'visible', name: sheet = '', id = '' }) => {
      if (name === 'workbookPr') workbook.has1904 = date1904 === '1' || date1904 === 'true'
      const relation = name === 'sheet' ? relations.get(id) : undefined
      if (relation?.type === 'worksheet') workbook.sheets.push({ name: sheet, isHidden: state !== 'visible', path: relation.path })
    },
  })
  if (workbook.sheets.length === 0) throw damaged()
  for (const relation of relations.values()) {
    if (relation.type === 'styles') await readPart(archive, relation.path, stylesHandler(workbook.forms))
    if (relation.type === 'sharedStrings')
      await readPart(archive, relation.path, stringsHandler(workbook.strings), Number.POSITIVE_INFINITY)
  }
  const properties = [...roots.values()].find(({ type }) => type === 'custom-properties')
  if (properties && archive.has(properties.path)) await readPart(archive, properties.path, propertiesHandler(workbook))
  return workbook
}

function propertiesHandler(workbook: Workbook): XmlHandler {
  let isZone = false
  let value = ''
  return {
    open: (name, attributes) => {
      if (name === 'property') isZone = attributes.name === timeZoneProperty
      value = ''
    },
    text: (text) => {
      value += text
    },
    close: (name) => {
      if (name === 'lpwstr' && isZone && value !== '') workbook.timeZone = value
    },
  }
}

/** The parts that a part refers to, by id. @param folder the folder of the part, with a slash */
async function readRelations(archive: Archive, path: string, folder: string): Promise<Map<string, Relation>> {
  const relations = new Map<string, Relation>()
  if (!archive.has(path)) return relations
  await readPart(archive, path, {
    open: (name, { Id, Target, Type = '', TargetMode }) => {
      if (name !== 'Relationship' || !Id || !Target || TargetMode === 'External') return
      relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), path: resolvePath(Target, folder) })
    },
  })
  return relations
}

/** Targets are relative to the folder of the part, or to the root. */
function resolvePath(target: string, folder: string): string {
  try {
    return decodeURIComponent(new URL(target, `http://root/${folder}`).pathname.slice(1))
  } catch {
    throw damaged()
  }
}

async function readPart(archive: Archive, path: string, handler: XmlHandler, maxBytes = maxPartBytes): Promise<void> {
  const reader = createXmlReader(handler)
  let bytes = 0
  for await (const piece of archive.read(path)) {
    bytes += piece.length
    if (bytes > maxBytes) throw new WorkbookProblem('the part {path} of the file is too large', { path })
    reader.write(piece)
  }
  reader.end()
}

/** Spreadsheets accept no longer format code; reading one takes time that grows with the square of its length. */
const maxFormatLength = 255

/** The form of each cell style (`cellXfs`). */
function stylesHandler(forms: CellForm[]): XmlHandler {
  const codes = new Map<number, string>()
  let isInCells = false
  return {
    open: (name, { numFmtId, formatCode }) => {
      if (name === 'numFmt' && formatCode !== undefined && formatCode.length <= maxFormatLength) codes.set(Number(numFmtId), formatCode)
      if (name === 'cellXfs') isInCells = true
      if (name === 'xf' && isInCells) forms.push(formOf(Number(numFmtId ?? 0), codes))
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false
    },
  }
}

/** The shared texts. Texts in several styles are joined; phonetic readings of Japanese (`rPh`) are left out. */
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
      total += current.length + sharedTextCost
      if (total > maxSharedLength) throw new WorkbookProblem('the texts of the file are too large; save it as CSV')
      strings.push(unescapeText(current))
    },
  }
}

/** Decodes characters that XML cannot contain, such as `_x000D_`. */
export const unescapeText = (text: string): string =>
  text.includes('_x') ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))) : text
