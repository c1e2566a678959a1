import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'
import { json } from './json'

/** A type of PostgreSQL that Rowhouse has no word for, in a table that it did not make: PostgreSQL alone judges its values. */
export const other: ColumnTypeDefinition = {
  description: 'Another type of PostgreSQL, in a table that Rowhouse did not make.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'text',
  problem: json.problem,
  valueSchema: () => ({}),
  editor: 'text',
}
