import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

export const autoNumber: ColumnTypeDefinition = {
  description: 'Counted by the database: 1, 2, 3 … with gaps where records were refused or deleted.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'bigint',
  isWhole: true,
  problem: () => 'is counted by the database',
  valueSchema: () => ({ type: 'integer', readOnly: true }),
  editor: 'none',
  filledBy: 'identityAlways',
  required: true,
  lacks: ['default'],
  conversion: { toText: (value) => `${value}::text`, expectation: '' },
}
