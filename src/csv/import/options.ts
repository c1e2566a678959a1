import { invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import { readPairs } from '../../records/query/parse/pairs'
import { dateOrders, decimalMarks } from '../../tables/notation'
import { isTimeZone, timeZoneExpectation } from '../../time-zone'
import { maxSheetRows } from '../../xlsx/sheet-size'
import { type Delimiter, readDelimiter } from '../delimiter'
import { type Encoding, encodings } from '../encoding'
import { readRecords } from '../reader'
import { type FileNotation, formulaForms } from './notation-sql'
import type { SheetOptions } from './workbook/sheet'

/** The contents of cells in link columns: only keys, only names, or either if omitted. */
const linkForms = ['keys', 'names'] as const
export type LinkForm = (typeof linkForms)[number]

export type ImportOptions = {
  mode: 'insert' | 'upsert'
  /** The columns by which an upsert finds an existing record; the primary key if omitted. */
  on?: string[]
  isDryRun: boolean
  hasHeader: boolean
  /** Column names by position, which replace the header's; an empty name skips the cell. */
  columns?: string[]
  /** Maps a name in the header to the name of a column. */
  mapping: Map<string, string>
  isUnknownIgnored: boolean
  delimiter?: Delimiter
  encoding?: Encoding
  links?: LinkForm
  /** Whether records are created in linked tables for names that no record has. */
  areLinksCreated: boolean
} & FileNotation &
  Tolerance &
  SheetOptions

/** Whether to empty unreadable cells, and to skip lines that cannot be imported. Otherwise, nothing is imported. */
export type Tolerance = { areCellsEmptied: boolean; areLinesSkipped: boolean }

/** The options of both imports: those about the file itself. */
export type SharedImportOptions = Pick<
  ImportOptions,
  | 'isDryRun'
  | 'hasHeader'
  | 'delimiter'
  | 'encoding'
  | 'links'
  | 'areLinksCreated'
  | keyof FileNotation
  | keyof Tolerance
  | keyof SheetOptions
>

export type Parameters = Map<string, string>

/** @throws Failure invalid_request for a parameter that is not among `allowed`, and for one that occurs twice */
export function readImportParameters(search: string, allowed: readonly string[]): Parameters {
  const found: Parameters = new Map()
  for (const [name, value] of readPairs(search)) {
    if (name === 'token') continue
    if (!allowed.includes(name))
      throw invalidRequest(
        translatable('There is no parameter "{name}" here.', { name: name.slice(0, 80) }),
        translatable('Use {allowed}.', { allowed: allowed.join(', ') }),
      )
    if (found.has(name)) throw invalidRequest(translatable('The parameter "{name}" appears in the URL more than once.', { name }))
    found.set(name, value)
  }
  return found
}

/**
 * A parameter that is sent as a field of a form would not be read: a dry run would write.
 * @throws Failure invalid_request
 */
export function rejectFormParameters(fields: ReadonlyMap<string, string>, allowed: readonly string[] = []): void {
  const known: readonly string[] = [...importParameters, ...tableParameters]
  const name = [...fields.keys()].find((field) => known.includes(field) && !allowed.includes(field))
  if (name === undefined) return
  throw invalidRequest(
    translatable('The parameter "{name}" is in the form, where it is not read.', { name }),
    translatable('Send it in the URL: ?{name}=…', { name }),
  )
}

/** The parameters that both imports have. */
const fileParameters = [
  'formulas',
  'delimiter',
  'encoding',
  'dates',
  'decimals',
  'timezone',
  'links',
  'createLinked',
  'dryRun',
  'header',
  'invalidCells',
  'invalidLines',
  'sheet',
  'headerRow',
] as const
export const importParameters = [...fileParameters, 'mode', 'on', 'columns', 'mapping', 'ignoreUnknown'] as const

/** @throws Failure invalid_request that names the parameter */
function readFileOptions(parameters: Parameters): SharedImportOptions {
  const delimiter = parameters.get('delimiter')
  const links = readWord(parameters, 'links', linkForms)
  const areLinksCreated = readFlag(parameters, 'createLinked', false)
  if (areLinksCreated && links === 'keys')
    throw invalidRequest(translatable('With links=keys, cells have no names for which createLinked could create records.'))
  return {
    isDryRun: readFlag(parameters, 'dryRun', false),
    hasHeader: readFlag(parameters, 'header', true),
    delimiter:
      delimiter === undefined
        ? undefined
        : (readDelimiter(delimiter) ?? throwInvalidOption('delimiter', 'comma, semicolon, tab, pipe or the character itself')),
    encoding: readWord(parameters, 'encoding', encodings),
    dates: readWord(parameters, 'dates', dateOrders),
    decimals: readWord(parameters, 'decimals', decimalMarks),
    timezone: readTimeZone(parameters),
    formulas: readWord(parameters, 'formulas', formulaForms),
    links,
    areLinksCreated,
    areCellsEmptied: readWord(parameters, 'invalidCells', ['refuse', 'empty']) === 'empty',
    areLinesSkipped: readWord(parameters, 'invalidLines', ['refuse', 'skip']) === 'skip',
    sheet: parameters.get('sheet'),
    headerRow: readRow(parameters),
  }
}

function readTimeZone(parameters: Parameters): string | undefined {
  const name = parameters.get('timezone')
  return name === undefined || isTimeZone(name) ? name : throwInvalidOption('timezone', timeZoneExpectation)
}

function readRow(parameters: Parameters): number | undefined {
  const text = parameters.get('headerRow')
  if (text === undefined) return undefined
  const row = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Number.NaN
  return row <= maxSheetRows ? row : throwInvalidOption('headerRow', `the number of a row, from 1 to ${maxSheetRows}`)
}

function readWord<Word extends string>(parameters: Parameters, name: string, words: readonly Word[]): Word | undefined {
  const text = parameters.get(name)?.toLowerCase()
  return text === undefined ? undefined : (words.find((word) => word === text) ?? throwInvalidOption(name, words.join(', ')))
}

export const tableParameters = [...fileParameters, 'name', 'columns', 'displayColumn'] as const

/**
 * The options of the import that creates a table. `isPreview` reads only the beginning of the file.
 * @throws Failure invalid_request that names the parameter
 */
export function readTableOptions(parameters: Parameters): SharedImportOptions & { isPreview: boolean } {
  const isWhole = parameters.get('dryRun') === 'whole'
  const options = readFileOptions(isWhole ? new Map(parameters).set('dryRun', 'true') : parameters)
  return { ...options, isPreview: options.isDryRun && !isWhole }
}

/** @throws Failure invalid_request that names the parameter */
export function readImportOptions(parameters: Parameters): ImportOptions {
  const mode = parameters.get('mode') ?? 'insert'
  if (mode !== 'insert' && mode !== 'upsert') throwInvalidOption('mode', 'insert or upsert')
  const on = readNames(parameters, 'on')
  if (on !== undefined && mode !== 'upsert') throw invalidRequest(translatable('The parameter "on" works only with mode=upsert.'))
  const columns = readNames(parameters, 'columns')
  const options = { ...readFileOptions(parameters), mode, on, columns } as const
  if (!options.hasHeader && !parameters.get('columns'))
    throw invalidRequest(translatable('Without a header line, "columns" must name the columns in their order.'))
  return { ...options, mapping: readMapping(parameters.get('mapping')), isUnknownIgnored: readFlag(parameters, 'ignoreUnknown', false) }
}

/** Names are written as the cells of a file, since a name may contain a comma. */
function readNames(parameters: Parameters, name: string): string[] | undefined {
  const text = parameters.get(name)
  if (!text) return text === undefined ? undefined : ['']
  const bytes = Buffer.from(text)
  const [record] = readRecords(bytes, ',', 1)
  if (record?.end === bytes.length) return record.cells
  return throwInvalidOption(name, 'names with commas between them; a name with a comma is written in double quotes')
}

function readFlag(parameters: Parameters, name: string, fallback: boolean): boolean {
  const text = parameters.get(name)
  if (text === undefined) return fallback
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : throwInvalidOption(name, 'true or false')
}

function readMapping(text: string | undefined): Map<string, string> {
  if (text === undefined) return new Map()
  try {
    const entries = Object.entries(JSON.parse(text) as object)
    if (entries.length && entries.every(([, name]) => typeof name === 'string')) return new Map(entries)
  } catch {}
  return throwInvalidOption('mapping', 'a JSON object from names of the header to names of columns, as {"E-mail": "email"}')
}

function throwInvalidOption(name: string, expected: string): never {
  throw invalidRequest(translatable('The parameter "{name}" must be {expected}.', { name, expected }))
}
