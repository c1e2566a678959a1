import { type Message, translatable } from '../../../messages/message'
import { familyOf } from '../../../records/query/type-families'
import { columnTypes } from '../../../tables/column-types'
import type { Column } from '../../../tables/model'
import { type FileNotation, isZoned } from '../notation-sql'

type ColumnKind = Pick<Column, 'type' | 'sqlType' | 'comparedAs' | 'options'>

/** The values that a column accepts, as the rest of a sentence that begins with its name. */
export function expectation(column: ColumnKind, notation: FileNotation = {}): Message {
  const written = expectedNotation(column, notation)
  // The API's notation would contradict the file's; a file in the right notation may still contain 31 February.
  if (written !== null && column.comparedAs === 'date') return translatable('must be a day that exists, written as {written}', { written })
  const expected = isZoned(column.comparedAs) ? momentExpectation(notation) : plainExpectation(column)
  return written === null ? expected : translatable('{expectation}, written as {written}', { expectation: expected, written })
}

const momentExpectation = ({ timezone }: FileNotation): Message =>
  timezone === undefined
    ? translatable('must be a timestamp with an offset, such as 2026-01-31T12:00:00Z; timezone= names the zone of a file without offsets')
    : translatable('must be a timestamp, such as 2026-01-31T12:00:00Z, or a local time that occurs exactly once in {timezone}', {
        timezone,
      })

const examples = { dmy: '31.12.2026', mdy: '12/31/2026', ymd: '2026-12-31', comma: '1.234,50', point: '1,234.50' }

/** The notation that the caller has specified for such values of the file. */
function expectedNotation({ comparedAs }: ColumnKind, { dates, decimals }: FileNotation): string | null {
  if (dates && /^(date|timestamp)/.test(comparedAs)) return examples[dates]
  return decimals && familyOf(comparedAs) === 'number' ? examples[decimals] : null
}

function plainExpectation(column: ColumnKind): Message {
  const { type, options } = column
  const choices = choiceList(column)
  if (type === 'multiSelect') return translatable('must be a list of some of {choices}', { choices: choices ?? '' })
  if (choices) return translatable('must be one of {choices}', { choices })
  if (type === 'manyLinks')
    return translatable('must be a list of keys of other records, each of which {expectation}', {
      expectation: typeExpectation(itemOf(column)),
    })
  if (type === 'link') return translatable('is the key of another record, and {expectation}', { expectation: typeExpectation(column) })
  if (type === 'user') return translatable('must be the id of a user, a UUID')
  if (columnTypes[type].conversion === columnTypes.decimal.conversion && options.precision !== undefined) {
    return translatable('must be a number of at most {precision} digits, {scale} of them after the decimal point', {
      precision: Number(options.precision),
      scale: Number(options.scale ?? 0),
    })
  }
  return typeExpectation(column)
}

type TypeNames = Pick<Column, 'sqlType' | 'comparedAs'>

function typeExpectation(names: TypeNames): Message {
  const { sqlType, comparedAs } = names
  if (sqlType.endsWith('[]'))
    return translatable('must be a list, as a JSON array, each of whose values {expectation}', {
      expectation: typeExpectation(itemOf(names)),
    })
  const base = byType[comparedAs] ?? (familyOf(comparedAs) === 'number' ? translatable('must be a number') : undefined)
  // A domain has its own rules; the values of other types are described only in PostgreSQL's manual.
  const isDomain = sqlType.startsWith('"') && sqlType !== comparedAs
  if (base && !isDomain) return base
  const type = plainName(sqlType)
  return base
    ? translatable('{expectation}, and a value of PostgreSQL’s type {type}', { expectation: base, type })
    : translatable('must be a value of PostgreSQL’s type {type}', { type })
}

const itemOf = ({ sqlType, comparedAs }: TypeNames): TypeNames => ({
  sqlType: sqlType.replace(/\[\]$/, ''),
  comparedAs: comparedAs.replace(/\[\]$/, ''),
})

const timestampExpectation = translatable('must be a timestamp, such as 2026-01-31T12:00:00Z')

const byType: Record<string, Message> = {
  smallint: translatable('must be a whole number from -32768 to 32767'),
  integer: translatable('must be a whole number from -2147483648 to 2147483647'),
  bigint: translatable('must be a whole number of 64 bits'),
  boolean: translatable('must be true or false'),
  date: translatable('must be a day in the form YYYY-MM-DD'),
  'time without time zone': columnTypes.time.conversion!.expectation!,
  'timestamp with time zone': timestampExpectation,
  timestamptz: timestampExpectation,
  'timestamp without time zone': translatable('must be a timestamp without an offset, such as 2026-01-31T12:00:00'),
  uuid: translatable('must be a UUID'),
  json: translatable('must be JSON'),
  jsonb: translatable('must be JSON'),
  text: translatable('must be text'),
  'character varying': translatable('must be text'),
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
