import type { Query } from '../db/pool/open'
import { equal, operator } from '../db/search-path'
import { notFound } from '../errors'
import { translatable } from '../messages/message'
import { isUnfitValue } from '../records/store/errors'
import { identifier, qualifiedName } from '../tables/ddl'
import type { Table } from '../tables/model'
import { comparedType } from '../tables/sql-types'

/**
 * The log's text of a key: taken from the record, because equal values may have different texts, such as 1.5 and 1.50;
 * for a missing record, made from the parts of the key, converted to their columns' types.
 * @throws Failure not_found for texts that cannot be a key
 */
export function logKey(query: Query, table: Table, key: readonly string[]): Promise<string> {
  return keyText(query, table, key).catch((error) => {
    throw isUnfitValue(error) ? noLoggedRecord() : error
  })
}

export const noLoggedRecord = () => notFound(translatable('There is no record with this key.'))

async function keyText(query: Query, table: Table, key: readonly string[]): Promise<string> {
  const columns = table.primaryKey.map((name) => table.columns.find((column) => column.name === name)!)
  const textOf = (values: string[]) =>
    `pg_catalog.json_build_array(${values.map((value) => `pg_catalog.to_json(${value}) operator(pg_catalog.#>>) '{}'`).join(', ')})::text`
  const sent = columns.map(({ comparedAs }, index) => `$${index + 1}::text::${comparedType(comparedAs)}`)
  const isRecord = columns.map(
    ({ name, operatorSchema }, index) => `t.${identifier(name)} ${operator('=', operatorSchema ?? undefined)} ${sent[index]}`,
  )
  const [present] = await query<{ key: string }>(
    `select ${textOf(columns.map(({ name }) => `t.${identifier(name)}`))} as key from ${qualifiedName(table)} t where ${isRecord.join(' and ')}`,
    [...key],
    { prepare: false },
  )
  if (present) return present.key
  const types = await declaredTypes(query, table)
  const [parsed] = await query<{ key: string }>(
    `select ${textOf(columns.map(({ name }, index) => `${sent[index]}::${types.get(name)}`))} as key`,
    [...key],
    { prepare: false },
  )
  return parsed!.key
}

/** By column name. Types include their lengths and digits, which determine how a value is written. */
async function declaredTypes(query: Query, table: Table): Promise<Map<string, string>> {
  const rows = await query<{ name: string; type: string }>(
    `select a.attname::text as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as type from pg_catalog.pg_attribute a
     where a.attrelid ${equal} pg_catalog.to_regclass($1::text) and a.attnum operator(pg_catalog.>) 0 and not a.attisdropped`,
    [qualifiedName(table)],
  )
  return new Map(rows.map(({ name, type }) => [name, type]))
}
