import { t } from 'elysia'
import { type ColumnTypeName, columnTypeNames } from './column-types'

const strict = { additionalProperties: false }

const Name = t.String({ minLength: 1, maxLength: 63, description: 'Any Unicode, at most 63 bytes in UTF-8.' })
const TypeName = t.Union(columnTypeNames.map((name) => t.Literal(name)))

export const NewColumn = t.Object(
  {
    name: Name,
    type: TypeName,
    required: t.Optional(t.Boolean()),
    unique: t.Optional(t.Boolean()),
    default: t.Optional(t.Unknown({ description: 'A value of the column’s type.' })),
    options: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'For decimal: precision and scale.' })),
  },
  strict,
)
export type NewColumn = Omit<typeof NewColumn.static, 'type'> & { type: ColumnTypeName }

const KeyColumn = t.Object({ name: Name, type: t.Union([t.Literal('bigint'), t.Literal('uuid'), t.Literal('text')]) }, strict)

export const NewTable = t.Object(
  {
    name: Name,
    primaryKey: t.Optional(
      t.Union([KeyColumn, t.Array(Name, { minItems: 1, maxItems: 8 })], {
        description:
          'A column of its own (default: {"name": "id", "type": "bigint"}, counted by the database), or the names of columns that together are the key.',
      }),
    ),
    columns: t.Array(NewColumn, { maxItems: 500 }),
  },
  strict,
)
export type NewTable = { name: string; primaryKey?: { name: string; type: 'bigint' | 'uuid' | 'text' } | string[]; columns: NewColumn[] }

export const Column = t.Object({
  id: t.String({ format: 'uuid' }),
  name: t.String(),
  type: t.String(),
  required: t.Boolean(),
  unique: t.Boolean(),
  default: t.Unknown(),
  options: t.Record(t.String(), t.Unknown()),
})
export type Column = Omit<typeof Column.static, 'type'> & { type: ColumnTypeName }

export const Table = t.Object({
  id: t.String({ format: 'uuid' }),
  schema: t.String(),
  name: t.String(),
  primaryKey: t.Array(t.String()),
  columns: t.Array(Column),
  readOnly: t.Boolean(),
  createdAt: t.String({ format: 'date-time' }),
})
export type Table = Omit<typeof Table.static, 'columns'> & { columns: Column[] }
