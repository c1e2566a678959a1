import { type ColumnTypeName, columnTypes } from '../column-types'
import { identifier } from '../ddl'
import type { PgType } from './introspection'

/** How a column's type is written in SQL, and which word Rowhouse has for it. */
export type MappedType = {
  sqlType: string
  comparedAs: string
  operatorSchema?: string
  type: ColumnTypeName
  options: Record<string, unknown>
  isRequired: boolean
  /** Of a domain: SQL of what a column without a default of its own is filled with. */
  default: string | null
  isNameable: boolean
}

const words: Record<string, string> = {
  ...{ int2: 'integer', int4: 'integer', int8: 'bigint', numeric: 'decimal', float4: 'float', float8: 'float', bool: 'boolean' },
  ...{ text: 'text', varchar: 'text', bpchar: 'text', name: 'text', citext: 'text', uuid: 'uuid', json: 'json', jsonb: 'json' },
  ...{ date: 'date', time: 'time', timestamptz: 'dateTime' },
}

/**
 * Casting to a length cuts off what is longer, without a word. Without it, PostgreSQL refuses the value when it is
 * stored.
 */
const isCutByCast = (type: PgType): boolean => ['varchar', 'bpchar', 'bit', 'varbit'].includes((type.element ?? type).name)

/**
 * @param typeText format_type with the column's modifier, or null where it has none
 * @returns undefined for a type that is made of more layers than were read
 */
export function toColumnType(type: PgType, typeText: string | null): MappedType {
  const layers = layersOf(type)
  const base = layers.at(-1)!
  return {
    sqlType: typeText === null || isCutByCast(base) ? sqlName(type) : withModifier(type, typeText),
    comparedAs: sqlName(base),
    ...filterOperatorsOf(base),
    type: wordOf(base),
    options: optionsOf(base, typeText),
    isRequired: layers.some((layer) => layer.isRequired),
    default: layers.find((layer) => layer.default !== null)?.default ?? null,
    isNameable: layers.every((layer) => (layer.element ?? layer).isNameable),
  }
}

/** A domain, the domain it is made of, and so on; the last one is no domain. */
const layersOf = (type: PgType): PgType[] => (type.base ? [type, ...layersOf(type.base)] : [type])

/** Those of enums, ranges, arrays and composite types are PostgreSQL's own. */
const filterOperatorsOf = ({ kind, element, schema }: PgType) =>
  kind === 'b' && !element && schema !== 'pg_catalog' ? { operatorSchema: identifier(schema) } : {}

/** Schema and name, whatever the search path is. */
function sqlName(type: PgType): string {
  if (type.element) return `${sqlName(type.element)}[]`
  return type.schema === 'pg_catalog' ? type.text : `${identifier(type.schema)}.${identifier(type.name)}`
}

/**
 * For other types than PostgreSQL's own, format_type writes the name as the search path has it: only its end is taken.
 */
function withModifier(type: PgType, typeText: string): string {
  if ((type.element ?? type).schema === 'pg_catalog') return typeText
  const [, modifier = '', brackets = ''] = /(\([^()]*\))?(\[\])?$/.exec(typeText) ?? []
  return `${sqlName(type.element ?? type)}${modifier}${brackets}`
}

function wordOf(base: PgType): ColumnTypeName {
  if (base.kind === 'e') return toColumnTypeName('select')
  const isPlain = base.kind === 'b' && !base.element && (base.schema === 'pg_catalog' || base.name === 'citext')
  return isPlain && Object.hasOwn(words, base.name) ? toColumnTypeName(words[base.name]!) : 'other'
}

const toColumnTypeName = (word: string): ColumnTypeName => (Object.hasOwn(columnTypes, word) ? (word as ColumnTypeName) : 'other')

function optionsOf(base: PgType, typeText: string | null): Record<string, unknown> {
  if (base.labels && wordOf(base) !== 'other') return { choices: base.labels }
  const [, precision, scale] = /^numeric\((\d+),(\d+)\)$/.exec(typeText ?? '') ?? []
  return precision === undefined ? {} : { precision: Number(precision), scale: Number(scale) }
}
