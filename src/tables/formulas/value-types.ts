import type { ColumnTypeName } from '../column-types/descriptors'

/** The types that a formula may return, by PostgreSQL's names. */
export const formulaValueTypes: Readonly<Record<string, ColumnTypeName>> = {
  ...{ text: 'text', integer: 'integer', bigint: 'bigint', numeric: 'decimal', 'double precision': 'float', boolean: 'boolean' },
  ...{ date: 'date', 'time without time zone': 'time', 'timestamp with time zone': 'dateTime', uuid: 'uuid', jsonb: 'json' },
}

/** PostgreSQL's name of such a type. */
export const formulaSqlType = (valueType: ColumnTypeName): string =>
  Object.keys(formulaValueTypes).find((sqlType) => formulaValueTypes[sqlType] === valueType)!
