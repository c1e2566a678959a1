import { arrayLiteral, unmeasured } from '../../../db/arrays'
import { concat, operator, textAt } from '../../../db/search-path'
import { qualifiedName } from '../../../tables/ddl'
import type { Table } from '../../../tables/model'
import { comparedType } from '../../../tables/sql-types'
import type { LevelPlan } from '../plan/types'
import { columnText, storedColumns } from './fields'
import { recordText, versionText } from './record'
import { ofFoundRows, readCondition, writtenRule } from './rules'
import { finish, type Statement, type StatementWriter, startStatement } from './statement'

/**
 * The outputs of each row: `record`, `version`, and with several keys `place`, the key's position among them, from 1.
 */
const selectedColumns = (writer: StatementWriter, alias: string, plan: LevelPlan) =>
  `${recordText(writer, alias, plan.outputs)}::text as record, ${versionText(writer, alias, plan.table)} as version`

const keyTypes = ({ primaryKey, columns }: Table) =>
  primaryKey.map((name) => {
    const { comparedAs, operatorSchema } = columns.find((column) => column.name === name)!
    return { name, type: comparedType(comparedAs), equal: operator('=', operatorSchema) }
  })

/** The parts of the key are the first parameters. */
export function recordByKey(plan: LevelPlan, key: readonly string[], isLocked = false): Statement {
  const writer = startStatement()
  const alias = writer.alias()
  // The key comes first: its parts are the first parameters.
  const isKey = keyTypes(plan.table).map(
    ({ name, type, equal }, index) => `${columnText(alias, name)} ${equal} ${writer.parameter(key[index]!, type)}`,
  )
  const conditions = [...isKey, ...readCondition(writer, plan.table, alias)]
  const columns = selectedColumns(writer, alias, plan)
  const text = `select ${columns} from ${qualifiedName(plan.table)} ${alias} where ${conditions.join(' and ')}`
  return finish(writer, isLocked ? `${text} for update of ${alias}` : text)
}

/** Fails with a data exception if a part of the key is not a value of its column's type. */
export function castKeyStatement(table: Table, key: readonly string[]): Statement {
  const writer = startStatement()
  return finish(
    writer,
    `select ${keyTypes(table)
      .map(({ type }, index) => writer.parameter(key[index]!, type))
      .join(', ')}`,
  )
}

/** For keys of one column, the form that PostgreSQL finds fastest. The list of keys is the first parameter. */
export function recordsBySingleKeys(plan: LevelPlan, keys: readonly string[]): Statement {
  const writer = startStatement()
  const alias = writer.alias()
  const { name, type, equal } = keyTypes(plan.table)[0]!
  const list = writer.parameter(arrayLiteral(keys), `${type}[]`)
  const on = [`${columnText(alias, name)} ${equal} k.key`, ...ofFoundRows(readCondition(writer, plan.table, alias))].join(' and ')
  const from = `pg_catalog.unnest(${unmeasured(list)}) with ordinality as k (key, place) join ${qualifiedName(plan.table)} ${alias} on ${on}`
  const columns = selectedColumns(writer, alias, plan)
  return finish(writer, `select k.place::int as place, ${columns} from ${from}`)
}

/** One row, `denied`, if a written record violates the access rules; null if these allow every record. */
export function deniedByKeys(table: Table, keys: readonly string[], names: readonly string[], as: 'create' | 'update'): Statement | null {
  const writer = startStatement()
  const alias = writer.alias()
  const isAllowed = writtenRule(writer, table, names, as, alias)
  if (isAllowed === null) return null
  const from = keyedRows(writer, table, alias, keys, [])
  return finish(writer, `select true as denied from ${from} where (${isAllowed}) is not true limit 1`)
}

/** The condition that a row has a key, whose parts are the texts of a JSON array. @param key SQL of the array */
export const hasKey = (table: Table, alias: string, key: string): string =>
  keyTypes(table)
    .map(({ name, type, equal }, index) => `${columnText(alias, name)} ${equal} (${key} ${textAt} ${index})::${type}`)
    .join(' and ')

/** A setting of the transaction, with keys as a JSON array: they stay in the database, since they may be many. */
const storedKeys = 'rowhouse.written_keys'

/**
 * A write that stores the keys of its rows for `rowsByKeys`. Its only row has the number of rows (`count`), the first
 * key (`key`), and with `hasNewness` whether any of the rows is new (`hasNew`).
 * @param write a statement that returns keys
 */
export function storeKeys({ text, parameters }: Statement, hasNewness: boolean): Statement {
  const list = `'[' ${concat} coalesce(pg_catalog.string_agg(w.key, ','), '') ${concat} ']'`
  const columns = [
    'pg_catalog.count(*)::int as count',
    '(select w.key from w limit 1) as key',
    ...(hasNewness ? ['coalesce(pg_catalog.bool_or(w."isNew"), false) as "hasNew"'] : []),
    `pg_catalog.length(pg_catalog.set_config('${storedKeys}', ${list}, true)) as length`,
  ]
  return { text: `with w as (${text}) select ${columns.join(', ')} from w`, parameters }
}

/** The records with these keys (null for the stored ones), and each key as `k`. */
function keyedRows(writer: StatementWriter, table: Table, alias: string, keys: readonly string[] | null, more: readonly string[]): string {
  const list = keys ? writer.parameter(`[${keys.join(',')}]`, 'jsonb') : `pg_catalog.current_setting('${storedKeys}')::jsonb`
  const items = `pg_catalog.jsonb_array_elements(${list}) with ordinality as k (item, place)`
  return `${items} join ${qualifiedName(table)} ${alias} on ${[hasKey(table, alias, 'k.item'), ...more].join(' and ')}`
}

/** @param keys the parts of each key, as a JSON array of texts; the rows have the same order */
export function recordsByKeys(plan: LevelPlan, keys: readonly string[]): Statement {
  const writer = startStatement()
  const alias = writer.alias()
  const columns = selectedColumns(writer, alias, plan)
  const from = keyedRows(writer, plan.table, alias, keys, ofFoundRows(readCondition(writer, plan.table, alias)))
  return finish(writer, `select k.place::int as place, ${columns} from ${from} order by k.place`)
}

/** The rows themselves, column by column. @param keys as for `recordsByKeys`; null for the keys of `storeKeys` */
export function rowsByKeys(table: Table, keys: readonly string[] | null): Statement {
  const writer = startStatement()
  const alias = writer.alias()
  const columns = storedColumns(table).map((name) => columnText(alias, name))
  return finish(writer, `select ${columns.join(', ')} from ${keyedRows(writer, table, alias, keys, [])} order by k.place`)
}
