import { familyOf } from '../../../records/query/type-families'
import { columnTypes } from '../../../tables/column-types'
import type { Column } from '../../../tables/model'
import type { Notation } from '../../notation'

type ColumnKind = Pick<Column, 'type' | 'sqlType' | 'comparedAs' | 'options'>

/** What a column takes, as the rest of a sentence that begins with its name. */
export function expectation(column: ColumnKind, notation: Notation = {}): string {
  const written = expectedNotation(column, notation)
  return written === null ? plainExpectation(column) : `${plainExpectation(column)}, written as ${written}`
}

const examples = { dmy: '31.12.2026', mdy: '12/31/2026', ymd: '2026-12-31', comma: '1.234,50', point: '1,234.50' }

/** How the file was said to write such a value. */
function expectedNotation({ comparedAs }: ColumnKind, { dates, decimals }: Notation): string | null {
  if (dates && /^(date|timestamp)/.test(comparedAs)) return examples[dates]
  return decimals && familyOf(comparedAs) === 'number' ? examples[decimals] : null
}

function plainExpectation(column: ColumnKind): string {
  const { type, options } = column
  const choices = choiceList(column)
  if (type === 'multiSelect') return `must be a list of some of ${choices}`
  if (choices) return `must be one of ${choices}`
  if (type === 'manyLinks') return `must be a list of keys of other records, each of which ${typeExpectation(itemOf(column))}`
  if (type === 'link') return `is the key of another record, and ${typeExpectation(column)}`
  if (type === 'user') return 'must be the id of a user, a UUID'
  if (columnTypes[type].conversion === columnTypes.decimal.conversion && options.precision !== undefined) {
    return `must be a number of at most ${options.precision} digits, ${options.scale ?? 0} of them behind the point`
  }
  return typeExpectation(column)
}

type TypeNames = Pick<Column, 'sqlType' | 'comparedAs'>

function typeExpectation(names: TypeNames): string {
  const { sqlType, comparedAs } = names
  if (sqlType.endsWith('[]')) return `must be a list, as a JSON array, each of whose values ${typeExpectation(itemOf(names))}`
  const base = byType[comparedAs] ?? (familyOf(comparedAs) === 'number' ? 'must be a number' : undefined)
  // A domain has rules of its own; of other types only PostgreSQL's manual says what their values are.
  const isDomain = sqlType.startsWith('"') && sqlType !== comparedAs
  if (base && !isDomain) return base
  return `${base ? `${base}, and` : 'must be'} a value of PostgreSQL’s type ${plainName(sqlType)}`
}

const itemOf = ({ sqlType, comparedAs }: TypeNames): TypeNames => ({
  sqlType: sqlType.replace(/\[\]$/, ''),
  comparedAs: comparedAs.replace(/\[\]$/, ''),
})

const timestampExpectation = 'must be a moment, as 2026-01-31T12:00:00Z'

const byType: Record<string, string> = {
  smallint: 'must be a whole number from -32768 to 32767',
  integer: 'must be a whole number from -2147483648 to 2147483647',
  bigint: 'must be a whole number of 64 bits',
  boolean: 'must be true or false',
  date: 'must be a day in the form YYYY-MM-DD',
  'time without time zone': columnTypes.time.conversion!.expectation,
  'timestamp with time zone': timestampExpectation,
  timestamptz: timestampExpectation,
  'timestamp without time zone': 'must be a moment without an offset, as 2026-01-31T12:00:00',
  uuid: 'must be a UUID',
  json: 'must be JSON',
  jsonb: 'must be JSON',
  text: 'must be text',
  'character varying': 'must be text',
}

const maxListedChoices = 20

function choiceList({ options }: ColumnKind): string | null {
  const choices = (options as { choices?: (string | { value: string })[] }).choices?.map((one) =>
    typeof one === 'string' ? one : one.value,
  )
  return choices ? `${choices.slice(0, maxListedChoices).join(', ')}${choices.length > maxListedChoices ? ', …' : ''}` : null
}

/** `"shop"."mood"` as people write it. */
const plainName = (sqlType: string) => sqlType.replace(/"((?:[^"]|"")*)"/g, (_, name: string) => name.replaceAll('""', '"'))
