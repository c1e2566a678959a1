import type { Query } from '../../db/pool/open'
import { equal, jsonAt } from '../../db/search-path'
import { columnText } from '../../records/query/sql/fields'
import { hasKey } from '../../records/query/sql/keys'
import { conditionText } from '../../records/query/sql/level'
import { readCondition } from '../../records/query/sql/rules'
import { finish, type StatementWriter, startStatement } from '../../records/query/sql/statement'
import { isUnfitValue } from '../../records/store/errors'
import { execute } from '../../records/store/execute'
import type { Tables } from '../../tables/catalog/catalog'
import { isStoredColumn } from '../../tables/computed-value'
import { qualifiedName } from '../../tables/ddl'
import type { Table } from '../../tables/model'
import { judgesDeleted } from '../../tables/row-rules'
import { isKey, type LogEntry, loggedColumns, valuesToday } from '../log-entry'
import type { FeedFilter } from './filter'

export type SeenEntry = { entry: LogEntry; table: Table; isLeaving: boolean }

type FeedScope = { tables: Tables; feedTables: readonly Table[]; filter: FeedFilter | null }

/**
 * The changes that a listener may see. Access rules and the listener's filter are applied to the current record and to
 * the record before the change: if it was visible and no longer is, only that fact is sent.
 */
export async function sightOfEntries(
  query: Query,
  { tables, feedTables, filter }: FeedScope,
  entries: readonly LogEntry[],
): Promise<SeenEntry[]> {
  const byTable = Map.groupBy(entries, ({ tableId }) => tableId)
  const seen = new Map<LogEntry, SeenEntry>()
  for (const table of feedTables) {
    const own = byTable.get(table.id) ?? []
    for (const each of own.length ? await seenOf(query, tables, table, filter, own) : []) seen.set(each.entry, each)
  }
  return entries.flatMap((entry) => seen.get(entry) ?? [])
}

async function seenOf(query: Query, tables: Tables, table: Table, filter: FeedFilter | null, entries: LogEntry[]): Promise<SeenEntry[]> {
  const condition = filter?.plan(tables, table).condition ?? null
  const all = () => entries.map((entry) => ({ entry, table, isLeaving: false }))
  if (!table.access && !condition) return all()
  // The records that TRUNCATE removed are unknown, so a listener who may see only some records gets no event.
  const rows = entries.filter(({ operation }) => operation !== 'truncate')
  const conditionAt = (writer: StatementWriter, alias: string) =>
    [...readCondition(writer, table, alias), ...(condition ? [conditionText(writer, alias, condition)] : [])].join(' and ') || 'true'
  const columns = await loggedColumns(query, table)
  const logged = rows.map((entry) => ({ entry, old: valuesToday(entry.oldValues, entry.id, columns, isStoredColumn) }))
  const found = await sightsOf(query, table, logged, conditionAt)
  const seen = rows.flatMap((entry): SeenEntry[] => {
    const { isPresent, isSeen, wasSeen } = found.get(entry.id) ?? { isPresent: false, isSeen: false, wasSeen: false }
    if (entry.operation === 'delete') return wasSeen && judgesDeleted(table) ? [{ entry, table, isLeaving: false }] : []
    if (isSeen) return [{ entry, table, isLeaving: false }]
    // An update logs only the values that it changed. Once the record is gone, they are not enough to evaluate a rule.
    const hasLeft = wasSeen && (isPresent || !table.access)
    return hasLeft && entry.operation === 'update' ? [{ entry, table, isLeaving: true }] : []
  })
  return table.access ? withoutEarlierRecords(query, table, seen) : seen
}

/**
 * Leaves out changes of a record whose key now belongs to another record: that the caller may read the other one does
 * not mean that they may read this one. Deleted records are judged by their own values. A later change may have an
 * earlier time, since that is the time when its transaction began, but not by more than a day.
 */
async function withoutEarlierRecords(query: Query, table: Table, seen: SeenEntry[]): Promise<SeenEntry[]> {
  const existing = seen.filter(({ entry }) => entry.operation !== 'delete').map(({ entry: { id, key, at } }) => ({ id, key, at }))
  if (existing.length === 0) return seen
  const rows = await query<{ id: string }>(
    `select i.id from pg_catalog.jsonb_to_recordset($1::jsonb) as i (id text, key text, at timestamptz) where exists (select from rowhouse.changes l
       where l.table_id ${equal} $2::uuid and ${isKey('l', 'i.key')} and l.id operator(pg_catalog.>) i.id::bigint
         and l.at operator(pg_catalog.>=) (i.at operator(pg_catalog.-) interval '1 day')
         and (l.operation ${equal} any('{insert,delete}') or l.old_key is not null))`,
    [JSON.stringify(existing), table.id],
  )
  const earlier = new Set(rows.map(({ id }) => id))
  return seen.filter(({ entry }) => !earlier.has(entry.id))
}

type Sight = { isPresent: boolean; isSeen: boolean; wasSeen: boolean }

/** Logged values that no longer fit the columns' types count as those of an invisible record. */
async function sightsOf(
  query: Query,
  table: Table,
  entries: readonly { entry: LogEntry; old: Record<string, unknown> }[],
  conditionAt: (writer: StatementWriter, alias: string) => string,
): Promise<Map<string, Sight>> {
  if (entries.length === 0) return new Map()
  const writer = startStatement()
  const list = writer.parameter(
    JSON.stringify(entries.map(({ entry: { id, key } }) => ({ id, key: JSON.parse(key) as string[] }))),
    'jsonb',
  )
  const olds = writer.parameter(JSON.stringify(entries.map(({ old }) => old)), 'json')
  const [now, before] = [writer.alias(), writer.alias()]
  // Without a record, all of its columns are null, and a condition may match null.
  const isPresent = `${columnText(now, table.primaryKey[0]!)} is not null`
  const text = `select i.item operator(pg_catalog.->>) 'id' as id, ${isPresent} as "isPresent", (${isPresent} and (${conditionAt(writer, now)})) is true as "isSeen", (${conditionAt(writer, before)}) is true as "wasSeen"
    from pg_catalog.jsonb_array_elements(${list}) with ordinality as i (item, place)
      join pg_catalog.json_array_elements(${olds}) with ordinality as o (item, place) on o.place ${equal} i.place
      left join ${qualifiedName(table)} ${now} on ${hasKey(table, now, `i.item ${jsonAt} 'key'`)}
      left join lateral pg_catalog.json_populate_record(${now}, o.item) ${before} on true`
  try {
    const rows = await execute<Sight & { id: string }>(query, table, finish(writer, text))
    return new Map(rows.map((row) => [row.id, row]))
  } catch (error) {
    if (!isUnfitValue(error)) throw error
    if (entries.length === 1) return new Map()
    // Splits the entries in half, so that one such value costs a few statements rather than one per entry.
    const middle = Math.ceil(entries.length / 2)
    const first = await sightsOf(query, table, entries.slice(0, middle), conditionAt)
    return new Map([...first, ...(await sightsOf(query, table, entries.slice(middle), conditionAt))])
  }
}
