import type { Query } from '../db/pool/open'
import { equal } from '../db/search-path'
import { readCondition } from '../records/query/sql/rules'
import { finish, startStatement } from '../records/query/sql/statement'
import { isUnfitValue } from '../records/store/errors'
import { execute } from '../records/store/execute'
import { isStoredColumn } from '../tables/computed-value'
import { qualifiedName } from '../tables/ddl'
import type { Table } from '../tables/model'
import { judgesDeleted } from '../tables/row-rules'
import { type LogEntry, loggedColumns, valuesToday } from './log-entry'

/**
 * The deleted records that the caller could read before: applies the access rules to the logged values. Values that no
 * longer fit the columns' types count as those of an invisible record.
 */
export async function readableDeleted(query: Query, table: Table, entries: readonly LogEntry[]): Promise<LogEntry[]> {
  if (!table.access || entries.length === 0) return [...entries]
  if (!judgesDeleted(table)) return []
  try {
    const found = new Set(await readableIds(query, table, entries))
    return entries.filter(({ id }) => found.has(id))
  } catch (error) {
    if (!isUnfitValue(error)) throw error
    if (entries.length === 1) return []
    const each = await Promise.all(entries.map((entry) => readableDeleted(query, table, [entry])))
    return each.flat()
  }
}

async function readableIds(query: Query, table: Table, entries: readonly LogEntry[]): Promise<string[]> {
  const writer = startStatement()
  const alias = writer.alias()
  const list = writer.parameter(JSON.stringify(entries.map(({ id }) => id)), 'jsonb')
  const columns = await loggedColumns(query, table)
  const rows = entries.map(({ id, oldValues }) => valuesToday(oldValues, id, columns, isStoredColumn))
  const values = writer.parameter(JSON.stringify(rows), 'json')
  const text = `select i.id from pg_catalog.jsonb_array_elements_text(${list}) with ordinality as i (id, place)
    join pg_catalog.json_array_elements(${values}) with ordinality as v (item, place) on v.place ${equal} i.place
    cross join lateral pg_catalog.json_populate_record(null::${qualifiedName(table)}, v.item) ${alias}
    where ${['true', ...readCondition(writer, table, alias)].join(' and ')}`
  return (await execute<{ id: string }>(query, table, finish(writer, text))).map(({ id }) => id)
}
