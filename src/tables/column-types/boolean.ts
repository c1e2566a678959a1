import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

export const boolean: ColumnTypeDefinition = {
  description: 'true or false.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'boolean',
  problem: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  valueSchema: () => ({ type: 'boolean' }),
  conversion: {
    toText: (value) => `${value}::text`,
    fromText: (text) => `btrim(${text})`,
    // What PostgreSQL reads: these words, and beginnings of them that are one's alone.
    canCast: (text) => `${text} ~* '^(t|tr|tru|true|y|ye|yes|on|1|f|fa|fal|fals|false|n|no|of|off|0)$'`,
    expectation: 'must be yes, no, true, false, 1 or 0',
  },
}
