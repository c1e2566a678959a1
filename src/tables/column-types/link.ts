import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'
import { keyProblem, keySchema } from './keys'

const deleteRules = ['restrict', 'setNull', 'cascade'] as const
export type DeleteRule = (typeof deleteRules)[number]

export const TargetTable = t.String({ minLength: 1, maxLength: 200, description: 'Id or name of the table that is pointed to.' })

export const link: ColumnTypeDefinition = {
  description:
    'The key of a record of another table, or of the same one: a foreign key. onDelete says what becomes of this record with the other: setNull (the default, where the column is not required), restrict (the default, where it is) or cascade.',
  options: t.Object(
    { table: TargetTable, onDelete: t.Optional(t.Union(deleteRules.map((rule) => t.Literal(rule)))) },
    { additionalProperties: false },
  ),
  sqlType: (_options, targetType = 'text') => targetType,
  problem: (value, _options, sqlType) => keyProblem(value, sqlType),
  valueSchema: () => keySchema,
  editor: 'link',
  conversion: {
    toText: (value) => `${value}::text`,
    fromText: (text) => `btrim(${text})`,
    expectation: 'is not the key of a record there',
  },
}
