import { t } from 'elysia'
import { toUtcText } from './date-time'
import type { ColumnTypeDefinition } from './definition'

/** A moment that the database fills in. */
export const stamp = (description: string): ColumnTypeDefinition => ({
  description,
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'timestamptz',
  problem: () => 'is filled in by the database',
  valueSchema: () => ({ type: 'string', format: 'date-time', readOnly: true }),
  editor: 'none',
  filledBy: 'rowhouse',
  fixedDefault: 'now()',
  required: true,
  lacks: ['unique', 'default'],
  conversion: { toText: toUtcText, expectation: '' },
})
