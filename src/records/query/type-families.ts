import { translatable } from '../../messages/message'
import type { Tables } from '../../tables/catalog/catalog'
import { comparedType } from '../../tables/sql-types'
import { displayName, queryFailure, suggestion } from './plan-failure'

/** The families of PostgreSQL's types, as far as operators depend on them. Only PostgreSQL knows those in `other`. */
export type Family = 'text' | 'number' | 'boolean' | 'moment' | 'uuid' | 'json' | 'array' | 'range' | 'vector' | 'other'

/** By both names of a type: the one in the manual (table 8.1), and the one in the catalog. */
const families: Record<string, Family> = {
  text: 'text',
  varchar: 'text',
  'character varying': 'text',
  char: 'text',
  bpchar: 'text',
  character: 'text',
  citext: 'text',
  name: 'text',
  smallint: 'number',
  int2: 'number',
  integer: 'number',
  int: 'number',
  int4: 'number',
  bigint: 'number',
  int8: 'number',
  numeric: 'number',
  decimal: 'number',
  real: 'number',
  float4: 'number',
  'double precision': 'number',
  float8: 'number',
  float: 'number',
  money: 'other',
  boolean: 'boolean',
  bool: 'boolean',
  date: 'moment',
  time: 'moment',
  'time without time zone': 'moment',
  timetz: 'moment',
  'time with time zone': 'moment',
  timestamp: 'moment',
  'timestamp without time zone': 'moment',
  timestamptz: 'moment',
  'timestamp with time zone': 'moment',
  interval: 'moment',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'json',
  tsvector: 'vector',
  bytea: 'other',
  bit: 'other',
  varbit: 'other',
  'bit varying': 'other',
  inet: 'other',
  cidr: 'other',
  macaddr: 'other',
  macaddr8: 'other',
  xml: 'other',
  oid: 'other',
  int4range: 'range',
  int8range: 'range',
  numrange: 'range',
  tsrange: 'range',
  tstzrange: 'range',
  daterange: 'range',
  int4multirange: 'range',
  int8multirange: 'range',
  nummultirange: 'range',
  tsmultirange: 'range',
  tstzmultirange: 'range',
  datemultirange: 'range',
}

const familyByType = new Map(Object.entries(families))

/** A column may have this type. A cast to it would pass any text of a caller to libxml2. */
const isXml = (type: string): boolean => /^xml(\[\])?$/.test(type)

export const familyOf = (type: string): Family =>
  type.endsWith('[]') ? 'array' : (familyByType.get(type.replace(/\(.*\)$/, '')) ?? 'other')

/**
 * Enums and domains of the tables that the caller may access, by name: `mood` and `crm.mood`. The grammar has casts to
 * the first only, which names one type if several schemas have a `mood`.
 */
const typesByTables = new WeakMap<Tables, Map<string, string>>()

function namedTypes(tables: Tables): Map<string, string> {
  const found = typesByTables.get(tables) ?? new Map<string, string>()
  if (!typesByTables.has(tables)) {
    for (const { sqlType, comparedAs } of tables.list.flatMap(({ columns }) => columns)) {
      if (isXml(comparedAs)) continue
      const [, schema, name] = /^"((?:[^"]|"")+)"\."((?:[^"]|"")+)"$/.exec(sqlType) ?? []
      if (schema === undefined || name === undefined) continue
      const plain = [schema, name].map((part) => part.replaceAll('""', '"'))
      found.set(plain.join('.'), sqlType)
      if (!found.has(plain[1]!)) found.set(plain[1]!, sqlType)
    }
    typesByTables.set(tables, found)
  }
  return found
}

/**
 * The type that `::name` refers to, from the list above or the catalog, quoted for SQL: the sent text never becomes
 * SQL.
 * @throws QueryFailure unknownCast
 */
export function castType(tables: Tables, asked: string): string {
  const isArray = asked.endsWith('[]')
  const name = (isArray ? asked.slice(0, -2) : asked).trim().replace(/\s+/g, ' ')
  const lower = name.toLowerCase()
  const type = familyByType.has(lower) && !isXml(lower) ? comparedType(lower) : namedTypes(tables).get(name)
  if (type === undefined) {
    throw queryFailure(
      'unknownCast',
      translatable('There is no type {displayName} to cast to.', { displayName: displayName(asked) }),
      suggestion(lower, [...[...familyByType.keys()].filter((type) => !isXml(type)), ...namedTypes(tables).keys()]),
    )
  }
  return isArray ? `${type}[]` : type
}
