import type { TObject } from '@sinclair/typebox'
import { t } from 'elysia'
import { translatable } from '../../messages/message'
import { timeOf } from './date'
import type { ColumnTypeDefinition } from './definition'
import { bigint, plainNumber } from './integers'
import { timeFormat } from './options/display'

const message = translatable('must be a time of the day in the form HH:MM or HH:MM:SS')

export const time: ColumnTypeDefinition = {
  description: 'A time of the day: HH:MM, or HH:MM:SS with up to six digits of a second’s fraction. It belongs to no time zone.',
  options: t.Object({ timeFormat }, { additionalProperties: false }),
  sqlType: () => 'time',
  problem: (value) => (typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$/.test(value) ? null : message),
  // PostgreSQL accepts 24:00:00, which is the first moment of the next day.
  rules: (value) => [{ name: 'range', condition: `${value} < '24:00:00'::time`, message }],
  valueSchema: () => ({ type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?$' }),
  conversion: { toText: (value) => `${value}::text`, fromText: timeOf, expectation: message },
}

const { properties } = bigint.options as TObject

/** SQL: `1:30` or `1:30:00` → 5400, other texts unchanged. It avoids a cast to an interval, which is not immutable. */
export function clockSeconds(text: string): string {
  const part = (place: number) => `coalesce(nullif(split_part(ltrim(btrim(${text}), '-'), ':', ${place}), ''), '0')::bigint`
  const seconds = `${part(1)} * 3600 + ${part(2)} * 60 + ${part(3)}`
  return `case when btrim(${text}) ~ '^-?[0-9]{1,9}:[0-5][0-9](:[0-5][0-9])?$'
    then ((${seconds}) * case when btrim(${text}) like '-%' then -1 else 1 end)::text else ${text} end`
}

/** A number, so that it can be added, averaged and compared; PostgreSQL's intervals have months of varying length. */
export const duration: ColumnTypeDefinition = {
  ...bigint,
  description: 'Whole seconds. Pages show and read hours, minutes and seconds: 5400 is 1:30:00.',
  options: t.Object({ min: properties.min!, max: properties.max! }, { additionalProperties: false }),
  conversion: {
    ...bigint.conversion!,
    fromText: (text) => plainNumber(`(${clockSeconds(text)})`),
    expectation: translatable('must be a duration, such as 1:30:00, or whole seconds'),
  },
}
