import { t } from 'elysia'
import { type Message, translatable } from '../../messages/message'
import { date } from './date'
import { dateTime } from './date-time'
import { decimal } from './decimal'
import type { ColumnTypeDefinition } from './definition'
import { bigint, integer } from './integers'
import { other } from './json'
import { text } from './text'
import { uuid } from './uuid'

/** The types that the key of a link's target usually has, by PostgreSQL's names for them. */
const keyTypes: Record<string, ColumnTypeDefinition> = { integer, bigint, uuid, text, date, numeric: decimal, timestamptz: dateTime }

const keyTypeOf = (sqlType: string): ColumnTypeDefinition => (Object.hasOwn(keyTypes, sqlType) ? keyTypes[sqlType]! : other)

/** Whether a value can be the key of a record of the table that a link points to. */
const keyProblem = (value: unknown, sqlType = ''): Message | null => {
  if (typeof value === 'object') return translatable('must be the key of a record')
  const problem = keyTypeOf(sqlType).problem(value, {})
  return problem && translatable('is the key of another record, and {problem}', { problem })
}

const keySchema = { type: ['string', 'integer'] } as const

const deleteRules = ['restrict', 'setNull', 'cascade'] as const
export type DeleteRule = (typeof deleteRules)[number]

const TargetTable = t.String({ minLength: 1, maxLength: 200, description: 'Id or name of the linked table.' })

export const link: ColumnTypeDefinition = {
  description:
    'The key of a record of another table, or of the same one: a foreign key. onDelete says what becomes of this record with the other: setNull (the default, where the column is not required), restrict (the default, where it is) or cascade.',
  options: t.Object(
    { table: TargetTable, onDelete: t.Optional(t.Union(deleteRules.map((rule) => t.Literal(rule)))) },
    { additionalProperties: false },
  ),
  sqlType: (_options, targetType = 'text') => targetType,
  problem: (value, _options, sqlType) => keyProblem(value, sqlType),
  valueSchema: () => keySchema,
  conversion: {
    toText: (value) => `${value}::text`,
    fromText: (text) => `btrim(${text})`,
    expectation: translatable('is not the key of a record there'),
  },
}

const maxLinks = 10_000

const linkProblem = (value: unknown, _options: unknown, sqlType = ''): Message | null => {
  if (!Array.isArray(value)) return translatable('must be an array of keys')
  if (value.length > maxLinks) return translatable('must have at most {maxLinks} keys', { maxLinks })
  const wrong = value.map((item) => keyProblem(item, sqlType.replace(/\[\]$/, ''))).find((found) => found !== null)
  if (wrong) return translatable('must be an array of keys: an item {wrong}', { wrong })
  const exact = value.filter(isExact).map(String)
  return new Set(exact).size === exact.length ? null : translatable('must not name a record twice')
}

/** Beyond this range JavaScript rounds integers. Callers that have the digits check again with the keys as texts. */
const isExact = (key: unknown): boolean => typeof key !== 'number' || Number.isSafeInteger(key)

export const manyLinks: ColumnTypeDefinition = {
  description: 'The keys of any number of records of another table. The database keeps them in a table between the two.',
  options: t.Object({ table: TargetTable }, { additionalProperties: false }),
  sqlType: (_options, targetType = 'text') => `${targetType}[]`,
  problem: linkProblem,
  valueSchema: () => ({ type: 'array', items: keySchema, uniqueItems: true }),
}

/** A record with more links than this shows the first ones by key. */
export const maxShownLinks = 1000

export const reverseLinks: ColumnTypeDefinition = {
  description:
    'The other side of a link: the keys of the records of another table whose column links to this record. Writing it changes those records.',
  options: t.Object(
    {
      table: t.String({ minLength: 1, maxLength: 200, description: 'Id or name of the table that has the link.' }),
      column: t.String({ minLength: 1, maxLength: 200, description: 'Id or name of its column, of the type link or manyLinks.' }),
    },
    { additionalProperties: false },
  ),
  sqlType: (_options, targetType = 'text') => `${targetType}[]`,
  problem: linkProblem,
  valueSchema: () => ({ type: 'array', items: keySchema, uniqueItems: true }),
}
