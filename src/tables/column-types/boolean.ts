import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

export const boolean: ColumnTypeDefinition = {
  description: 'true or false.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'boolean',
  problem: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
}
