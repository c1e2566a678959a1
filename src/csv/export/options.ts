import { invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import { readPairs } from '../../records/query/parse/pairs'
import { type DecimalMark, decimalMarks } from '../../tables/notation'
import { isTimeZone, timeZoneExpectation } from '../../time-zone'
import { type Delimiter, readDelimiter } from '../delimiter'

/**
 * A further kind also needs an `ExportFormat`, a route with its description, and `fileKinds` in the dialog of the web
 * UI. It takes its cells from `statement.ts` as PostgreSQL's texts.
 */
export type FileKind = 'csv' | 'xlsx'

/** How a file is to be written. */
export type ExportOptions = {
  delimiter: Delimiter
  /** Whether cells that a spreadsheet would read as formulas are made inert. */
  isEscaped: boolean
  hasByteOrderMark: boolean
  /** For people who read the file in a spreadsheet; null for programs. */
  people: { timeZone: string; decimals: DecimalMark } | null
}

/** Parameters of the record list that have no meaning for a whole file. */
const rejectedParameters = ['cursor', 'count', 'maxAffected', 'dryRun']

/** The options that a kind of file does not support. A workbook is always for people and has no text format. */
const missingOptions: Record<FileKind, readonly string[]> = { csv: [], xlsx: ['delimiter', 'formulas', 'bom', 'for', 'decimals'] }

/**
 * Separates the route's own parameters from the query; the rest is a query for records.
 * @throws Failure invalid_request that names the parameter
 */
export function readExportQuery(search: string, kind: FileKind): { options: ExportOptions; pairs: [string, string][] } {
  const own = new Map<string, string>()
  const pairs: [string, string][] = []
  for (const [name, value] of readPairs(search)) {
    if (rejectedParameters.includes(name))
      throw invalidRequest(
        translatable('The parameter "{name}" has no meaning for an export.', { name }),
        translatable('Use "limit" and "offset".'),
      )
    if (missingOptions[kind].includes(name))
      throw invalidRequest(
        translatable('The parameter "{name}" works only with export.csv.', { name }),
        translatable('Workbook exports accept only the parameter "timezone".'),
      )
    if (Object.hasOwn(optionReaders, name)) {
      if (own.has(name)) throw invalidRequest(translatable('The parameter "{name}" appears in the URL more than once.', { name }))
      own.set(name, value)
    } else pairs.push([name, value])
  }
  const read = <Name extends keyof typeof optionReaders>(name: Name, fallback: string) =>
    (optionReaders[name](own.get(name) ?? fallback) ?? throwInvalidOption(name)) as NonNullable<ReturnType<(typeof optionReaders)[Name]>>
  const isForPeople = kind === 'xlsx' || read('for', 'programs')
  const [stray] = isForPeople ? [] : (['timezone', 'decimals'] as const).filter((name) => own.has(name))
  if (stray) throw invalidRequest(translatable('The parameter "{stray}" works only with for=people.', { stray }))
  return {
    options: {
      delimiter: read('delimiter', ','),
      isEscaped: kind === 'csv' && read('formulas', isForPeople ? 'escape' : 'keep'),
      hasByteOrderMark: read('bom', '0'),
      people: isForPeople ? { timeZone: read('timezone', 'UTC'), decimals: read('decimals', 'point') } : null,
    },
    pairs,
  }
}

/** Returns true for one of two texts, false for the other, and undefined for any other text. */
const booleanOption = (yes: string[], no: string[]) => {
  const meanings = new Map([...yes.map((text) => [text, true] as const), ...no.map((text) => [text, false] as const)])
  return (text: string) => meanings.get(text)
}

const optionReaders = {
  delimiter: readDelimiter,
  formulas: booleanOption(['escape'], ['keep']),
  bom: booleanOption(['1', 'true'], ['0', 'false']),
  for: booleanOption(['people'], ['programs']),
  timezone: (text: string) => (isTimeZone(text) ? text : undefined),
  decimals: (text: string) => decimalMarks.find((mark) => mark === text),
}

const expected = {
  delimiter: 'comma, semicolon, tab, pipe or the character itself (; is %3B)',
  formulas: 'escape or keep',
  bom: '1 or 0',
  for: 'people or programs',
  timezone: timeZoneExpectation,
  decimals: 'point or comma',
}

function throwInvalidOption(name: keyof typeof expected): never {
  throw invalidRequest(translatable('The parameter "{name}" must be {expected}.', { name, expected: expected[name] }))
}
