import { bigint } from './bigint'
import { date } from './date'
import { dateTime } from './date-time'
import { decimal } from './decimal'
import type { ColumnTypeDefinition } from './definition'
import { integer } from './integer'
import { other } from './other'
import { text } from './text'
import { uuid } from './uuid'

/** The types that the key of a link's target usually has, by PostgreSQL's names for them. */
const keyTypes: Record<string, ColumnTypeDefinition> = { integer, bigint, uuid, text, date, numeric: decimal, timestamptz: dateTime }

const keyTypeOf = (sqlType: string): ColumnTypeDefinition => (Object.hasOwn(keyTypes, sqlType) ? keyTypes[sqlType]! : other)

/** Whether a value can be the key of a record of the table that a link points to. */
export const keyProblem = (value: unknown, sqlType = ''): string | null => {
  if (typeof value === 'object') return 'must be the key of a record'
  const problem = keyTypeOf(sqlType).problem(value, {})
  return problem && `is the key of another record, and ${problem}`
}

export const keySchema = { type: ['string', 'integer'] } as const
