import { t } from 'elysia'
import { translatable } from '../../messages/message'
import { timeOf } from './date'
import type { ColumnTypeDefinition } from './definition'

const message = translatable('must be a time of the day in the form HH:MM or HH:MM:SS')

export const time: ColumnTypeDefinition = {
  description: 'A time of the day: HH:MM, or HH:MM:SS with up to six digits of a second’s fraction. It belongs to no time zone.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'time',
  problem: (value) => (typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$/.test(value) ? null : message),
  // PostgreSQL knows 24:00:00, which is the next day's first moment.
  rules: (value) => [{ name: 'range', condition: `${value} < '24:00:00'::time`, message }],
  valueSchema: () => ({ type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?$' }),
  conversion: { toText: (value) => `${value}::text`, fromText: timeOf, expectation: message },
}
