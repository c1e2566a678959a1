import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

const maxExpressionLength = 4000

export const formula: ColumnTypeDefinition = {
  description: 'Computed from other columns of the record by an expression of SQL, stored and kept right by the database.',
  options: t.Object(
    {
      expression: t.String({
        minLength: 1,
        maxLength: maxExpressionLength,
        description: 'As "price * amount". docs/tables.md lists what it may use.',
      }),
      valueType: t.Optional(t.String({ description: 'In answers: the type of what comes out. When sent, it is left aside.' })),
    },
    { additionalProperties: false },
  ),
  sqlType: (_options, targetType = 'text') => targetType,
  problem: () => 'is computed by the database',
  valueSchema: () => ({ readOnly: true }),
}
