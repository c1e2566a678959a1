import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

export const boolean: ColumnTypeDefinition = {
  description: 'true or false.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'boolean',
  problem: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  valueSchema: () => ({ type: 'boolean' }),
  editor: 'checkbox',
  conversion: {
    toText: (value) => `${value}::text`,
    // PostgreSQL reads true, yes, on, 1, their opposites and beginnings of these words; 1.0 is a number that was shortened on the way.
    fromText: (text) => `btrim(${text})`,
    expectation: 'must be yes, no, true, false, 1 or 0',
  },
}
