import { type ColumnTypeName, columnTypes } from '../../column-types'
import { identifier } from '../../ddl'
import type { PgType } from './introspection'

/** A column's type in SQL, and Rowhouse's name for it. */
export type MappedType = {
  sqlType: string
  comparedAs: string
  operatorSchema?: string
  type: ColumnTypeName
  options: Record<string, unknown>
  isRequired: boolean
  /** SQL of a domain's default, for a column without its own default. */
  default: string | null
  isNameable: boolean
}

const typeByName: Record<string, string> = {
  ...{ int2: 'integer', int4: 'integer', int8: 'bigint', numeric: 'decimal', float4: 'float', float8: 'float', bool: 'boolean' },
  ...{ text: 'text', varchar: 'text', bpchar: 'text', name: 'text', citext: 'text', uuid: 'uuid', json: 'json', jsonb: 'json' },
  ...{ date: 'date', time: 'time', timestamptz: 'dateTime' },
}

/**
 * A cast to a type with a length cuts off longer values without an error. Without a cast, PostgreSQL refuses them when
 * they are stored.
 */
const isCutByCast = (type: PgType): boolean => ['varchar', 'bpchar', 'bit', 'varbit'].includes((type.element ?? type).name)

/**
 * @param typeText format_type with the column's modifier, or null without one
 * @returns undefined for a type with more layers than were read
 */
export function toColumnType(type: PgType, typeText: string | null): MappedType {
  const layers = layersOf(type)
  const base = layers.at(-1)!
  return {
    sqlType: typeText === null || isCutByCast(base) ? sqlName(type) : withModifier(type, typeText),
    comparedAs: sqlName(base),
    ...filterOperatorsOf(base),
    type: columnTypeOf(base),
    // A column of a domain has no modifier; the innermost domain may have one.
    options: optionsOf(base, typeText ?? layers.at(-2)?.baseText ?? null),
    isRequired: layers.some((layer) => layer.isRequired),
    default: layers.find((layer) => layer.default !== null)?.default ?? null,
    isNameable: layers.every((layer) => (layer.element ?? layer).isNameable),
  }
}

/** A domain, its underlying domain, and so on; the last one is not a domain. */
const layersOf = (type: PgType): PgType[] => (type.base ? [type, ...layersOf(type.base)] : [type])

/** The operators of enums, ranges, arrays and composite types are PostgreSQL's own. */
const filterOperatorsOf = ({ kind, element, schema }: PgType) =>
  kind === 'b' && !element && schema !== 'pg_catalog' ? { operatorSchema: identifier(schema) } : {}

/** The name with its schema, which does not depend on the search path. */
function sqlName(type: PgType): string {
  if (type.element) return `${sqlName(type.element)}[]`
  return type.schema === 'pg_catalog' ? type.text : `${identifier(type.schema)}.${identifier(type.name)}`
}

/**
 * For user-defined types, format_type writes the name according to the search path. So only the modifier at its end is
 * used.
 */
function withModifier(type: PgType, typeText: string): string {
  if ((type.element ?? type).schema === 'pg_catalog') return typeText
  const [, modifier = '', brackets = ''] = /(\([^()]*\))?(\[\])?$/.exec(typeText) ?? []
  return `${sqlName(type.element ?? type)}${modifier}${brackets}`
}

function columnTypeOf(base: PgType): ColumnTypeName {
  if (base.kind === 'e') return toColumnTypeName('select')
  const isPlain = base.kind === 'b' && !base.element && (base.schema === 'pg_catalog' || base.name === 'citext')
  return isPlain && Object.hasOwn(typeByName, base.name) ? toColumnTypeName(typeByName[base.name]!) : 'other'
}

const toColumnTypeName = (word: string): ColumnTypeName => (Object.hasOwn(columnTypes, word) ? (word as ColumnTypeName) : 'other')

function optionsOf(base: PgType, typeText: string | null): Record<string, unknown> {
  if (base.labels && columnTypeOf(base) !== 'other') return { choices: base.labels }
  const [, precision, scale] = /^numeric\((\d+),(\d+)\)$/.exec(typeText ?? '') ?? []
  return precision === undefined ? {} : { precision: Number(precision), scale: Number(scale) }
}
