import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

/** A user that the record pipeline fills in. */
export const author = (description: string): ColumnTypeDefinition => ({
  description,
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'uuid',
  problem: () => 'is filled in by Rowhouse',
  valueSchema: () => ({ type: 'string', format: 'uuid', readOnly: true }),
  editor: 'none',
  filledBy: 'rowhouse',
  required: false,
  lacks: ['unique', 'default'],
  conversion: { toText: (value) => `${value}::text`, expectation: '' },
})
