import { columnTypes } from '../../tables/column-types'
import { defaultExpression, identifier, literal, qualifiedName } from '../../tables/ddl'
import type { Column, Table } from '../../tables/model'

/** SQL text with numbered parameters; every value of a caller is a parameter. `$1::text` and so on are filled in by the service. */
export type Statement = string

const columnOf = (table: Table, name: string): Column => table.columns.find((column) => column.name === name)!

const sqlTypeOf = ({ type, options }: Column) => columnTypes[type].sqlType(options)

/** The record as PostgreSQL writes it: its bytes go to the socket unparsed. */
const recordJson = (table: Table) =>
  // `r.*`, since a column may be named r, too.
  `(select row_to_json(r.*) from (select ${table.columns.map(({ name }) => `t.${identifier(name)}`).join(', ')}) r)`

/** The key's parts as text, in a JSON array. */
const keyJson = (table: Table) => `json_build_array(${table.primaryKey.map((name) => keyText(columnOf(table, name))).join(', ')})`

/** As it stands in the record's JSON; PostgreSQL's own text of a moment is another one. */
const keyText = ({ name, type }: Column) =>
  type === 'dateTime' ? `to_json(t.${identifier(name)}) #>> '{}'` : `t.${identifier(name)}::text`

const returned = (table: Table) => `${recordJson(table)}::text as record, t.xmin::text as version, ${keyJson(table)}::text as key`

/** Without the precision of a decimal, to which PostgreSQL would round what is looked for. */
const keyTypeOf = (column: Column) => (column.type === 'decimal' ? 'numeric' : sqlTypeOf(column))

/** `t."id" = $1::bigint and …`, beginning at parameter `first`. */
const keyCondition = (table: Table, first: number) =>
  table.primaryKey.map((name, index) => `t.${identifier(name)} = $${first + index}::${keyTypeOf(columnOf(table, name))}`).join(' and ')

/** Parameters: the key's parts. */
export const selectByKey = (table: Table): Statement =>
  `select ${returned(table)} from ${qualifiedName(table)} t where ${keyCondition(table, 1)}`

/** As `selectByKey` for many keys of one column. Parameter: the keys as a PostgreSQL array; `place` is a key's place in it, from 1. */
export function selectByKeys(table: Table): Statement {
  const column = columnOf(table, table.primaryKey[0]!)
  return `select k.place::int as place, ${returned(table)} from unnest($1::${keyTypeOf(column)}[]) with ordinality as k (key, place)
    join ${qualifiedName(table)} t on t.${identifier(column.name)} = k.key`
}

/**
 * One row: `records` (a JSON array), `has_more`, `last_key` (of the last record, as `keyJson`).
 * Parameters: the limit; with `isAfter` the parts of the key that the page begins behind.
 */
export function selectPage(table: Table, isAfter: boolean): Statement {
  const key = table.primaryKey.map((name) => `t.${identifier(name)}`).join(', ')
  const values = table.primaryKey.map((name, index) => `$${index + 2}::${keyTypeOf(columnOf(table, name))}`).join(', ')
  return `select coalesce(json_agg(p.record order by p.n) filter (where p.n <= $1::int), '[]')::text as records,
    coalesce(max(p.n) > $1::int, false) as has_more, max(p.key) filter (where p.n = $1::int) as last_key
    from (select ${recordJson(table)} as record, ${keyJson(table)}::text as key, row_number() over (order by ${key}) as n
      from ${qualifiedName(table)} t ${isAfter ? `where (${key}) > (${values})` : ''} order by ${key} limit $1::int + 1) p`
}

/** Records of nothing but defaults, since a query of no columns names none. Parameter: how many. */
export const insertEmptyRecords = (table: Table): Statement =>
  `insert into ${qualifiedName(table)} as t select from generate_series(1, $1::int) returning ${returned(table)}`

/** Parameter: a JSON array of objects, from which PostgreSQL itself reads the values. Rows come back in the array's order. */
export function insertRecords(table: Table, names: readonly string[]): Statement {
  const columns = names.map(identifier).join(', ')
  const values = names.map((name) => sentValue(table, name)).join(', ')
  return `insert into ${qualifiedName(table)} as t (${columns}) select ${values} from ${recordset(table, names)} returning ${returned(table)}`
}

/** As `insertRecords`, for objects that do not all name the same columns: what one does not name gets its default. */
export function insertMixedRecords(table: Table, names: readonly string[]): Statement {
  const columns = names.map(identifier).join(', ')
  const values = names.map((name) => {
    const fallback = defaultExpression(columnOf(table, name)) ?? 'null'
    return `case when e.item ? ${literal(name)} then ${sentValue(table, name)} else ${fallback} end`
  })
  return `insert into ${qualifiedName(table)} as t (${columns}) select ${values.join(', ')}
    from jsonb_array_elements($1::jsonb) with ordinality as e (item, n), jsonb_to_record(e.item) as ${sentColumns(table, names)} order by e.n returning ${returned(table)}`
}

/** Parameters: a JSON array of one object; the key's parts; the versions that may be replaced as a PostgreSQL array, or null for any. */
export function updateByKey(table: Table, names: readonly string[]): Statement {
  const assignments = names.map((name) => `${identifier(name)} = ${sentValue(table, name)}`).join(', ')
  return `update ${qualifiedName(table)} as t set ${assignments} from ${recordset(table, names)}
    where ${keyCondition(table, 2)} and ${versionCondition(table, 2)} returning ${returned(table)}`
}

/** Parameters: the key's parts; the versions as for `updateByKey`. */
export const deleteByKey = (table: Table): Statement =>
  `delete from ${qualifiedName(table)} as t where ${keyCondition(table, 1)} and ${versionCondition(table, 1)} returning ${keyJson(table)}::text as key`

const versionCondition = (table: Table, firstOfKey: number) => {
  const parameter = `$${firstOfKey + table.primaryKey.length}::text[]`
  return `(${parameter} is null or t.xmin::text = any(${parameter}))`
}

const recordset = (table: Table, names: readonly string[]) => `jsonb_to_recordset($1::jsonb) as ${sentColumns(table, names)}`

/** The sent values as `x`; numbers that are whole may be sent as 1.0 or 1e3, which only numeric reads. */
const sentColumns = (table: Table, names: readonly string[]) =>
  `x (${names.map((name) => `${identifier(name)} ${isWhole(columnOf(table, name)) ? 'numeric' : sqlTypeOf(columnOf(table, name))}`).join(', ')})`

/** Through text, since a cast of the number itself would round it. */
const sentValue = (table: Table, name: string) => {
  const column = columnOf(table, name)
  return isWhole(column) ? `trim_scale(x.${identifier(name)})::text::${sqlTypeOf(column)}` : `x.${identifier(name)}`
}

const isWhole = ({ type }: Column) => columnTypes[type].isWhole ?? false
