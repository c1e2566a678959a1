import { t } from 'elysia'
import { translatable } from '../../messages/message'
import { literal } from '../sql-text'
import type { ColumnTypeDefinition } from './definition'

/** Words that people write but PostgreSQL does not accept. */
const words = { true: ['x', '✓', '✔', 'ja', 'j', 'wahr'], false: ['✗', '✘', 'nein', 'falsch'] }
const among = (text: string, list: readonly string[]) => `pg_catalog.lower(${text}) in (${list.map(literal).join(', ')})`

/** Plain words come first, since most cells have them. */
const plainWord = (text: string): string => `case when ${among(text, ['true', 'false', 't', 'f', '1', '0', 'yes', 'no', ''])} then ${text}
  when ${among(`pg_catalog.btrim(${text})`, words.true)} then 'true' when ${among(`pg_catalog.btrim(${text})`, words.false)} then 'false' else pg_catalog.btrim(${text}) end`

export const boolean: ColumnTypeDefinition = {
  description: 'true or false.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'boolean',
  problem: (value) => (typeof value === 'boolean' ? null : translatable('must be true or false')),
  valueSchema: () => ({ type: 'boolean' }),
  conversion: {
    toText: (value) => `${value}::text`,
    fromText: plainWord,
    // PostgreSQL accepts these words, and their unique prefixes.
    canCast: (text) => `${text} ~* '^(t|tr|tru|true|y|ye|yes|on|1|f|fa|fal|fals|false|n|no|of|off|0)$'`,
    expectation: translatable('must be yes, no, true, false, 1 or 0, or a similar word (x, ja, nein)'),
  },
}
