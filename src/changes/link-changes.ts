import type { Query } from '../db/pool/open'
import { equal } from '../db/search-path'
import { writeKey } from '../records/store/key'
import type { Tables } from '../tables/catalog/catalog'
import type { Column, Table } from '../tables/model'
import { authorOf, entryColumns, keyBeginning, keyParts, type LogEntry, loggedColumns } from './log-entry'
import type { Change } from './model'
import { keySpansOf, type LoggedRecord } from './record-entries'

/**
 * The number of links of one column that are read for a page. Transactions that changed more links are shown in parts.
 */
const maxLinks = 2000

/**
 * Changes of links to many, which are stored in join tables, shown as changes of the record. `xid` is the id of the
 * transaction.
 */
export type LinkChange = { xid: string; change: Change }

type LinkEntry = LogEntry & { oldTarget: unknown; newTarget: unknown }

/**
 * The changes of a record's links to many, latest first. The changes of one transaction form one change: `old` and
 * `new` are the keys of the removed and added records. Excludes backlinks, and links that an access rule restricts for
 * the caller.
 * @param before an exclusive upper bound of ids
 * @param from the least id; null for all
 * @returns `next` is `from`, or the least id of the links that were read, if there were too many
 */
export async function linkChanges(
  query: Query,
  tables: Tables,
  record: LoggedRecord,
  before: string,
  from: string | null,
): Promise<{ links: LinkChange[]; next: string | null }> {
  const { table, since } = record
  const holders = table.columns.flatMap((column) => {
    const holder = holderOf(tables, table, column)
    return holder ? [{ column, holder }] : []
  })
  if (holders.length === 0) return { links: [], next: from }
  const found: { column: Column; entry: LinkEntry }[] = []
  let next = from
  const spans = await keySpansOf(query, record)
  const { columnAt, nameAt } = await loggedColumns(query, table)
  for (const { column, holder } of holders) {
    for (const { key, first, below } of spans) {
      // The text of a key begins like the text of its first parts: `["17", "3"]` begins with `["17", `.
      const parameters = [holder.id, before, String(maxLinks + 1), column.joinTable!.targetColumns[0]!, `${key.slice(0, -1)}, `]
      const entries = await query<LinkEntry>(entriesStatement, [...parameters, first, below, since])
      if (entries.length > maxLinks) next = greaterId(entries[maxLinks - 1]!.id, next)
      found.push(...entries.filter(({ id }) => columnAt(nameAt(column, id), id) === column).map((entry) => ({ column, entry })))
    }
  }
  const isRead = ({ entry }: (typeof found)[number]) => next === null || BigInt(entry.id) >= BigInt(next)
  const groups = Map.groupBy(found.filter(isRead), ({ column, entry: { xid } }) => `${column.id} ${xid}`)
  const links = [...groups.values()].map((group) => ({
    xid: group[0]!.entry.xid,
    change: toLinkChange(
      group[0]!.column,
      group.map(({ entry }) => entry),
    ),
  }))
  return { links: links.sort((one, other) => (BigInt(one.change.id) < BigInt(other.change.id) ? 1 : -1)), next }
}

const greaterId = (id: string, other: string | null): string => (other === null || BigInt(id) > BigInt(other) ? id : other)

type IsPresent = (entry: Pick<LogEntry, 'id' | 'at'>) => boolean

/**
 * Whether a change of a join table belongs to the list of links that uses the table now. The id of the log is derived
 * from the name, so a deleted list of the same name had the same log, even in a table that was deleted and recreated.
 */
export async function isOfPresentList(query: Query, { list }: Tables, { schema, name }: Table): Promise<IsPresent> {
  for (const table of list) {
    const column = table.columns.find(({ type, joinTable: its }) => type === 'manyLinks' && its?.schema === schema && its.name === name)
    if (!column) continue
    const { columnAt, nameAt, meantOther } = await loggedColumns(query, table)
    const { createdAt } = table
    const isEarlier = (at: string) => createdAt !== null && Date.parse(at) < Date.parse(createdAt)
    return ({ id, at }) => !isEarlier(at) && columnAt(nameAt(column, id), id) === column && !meantOther(column, id)
  }
  return () => true
}

/** The join table, if its keys begin with the record's. */
function holderOf({ byQualifiedName, byId }: Tables, { primaryKey }: Table, { joinTable, access }: Column): Table | null {
  if (joinTable?.ownColumns.length !== primaryKey.length) return null
  if (!joinTable || joinTable.isTarget || access) return null
  const holder = byQualifiedName.get(`${joinTable.schema}.${joinTable.name}`)
  const isFirst = joinTable.ownColumns.every((name, index) => holder?.primaryKey[index] === name)
  return holder?.isLogged && isFirst && !holder.access && !byId.get(joinTable.targetTableId)?.access ? holder : null
}

/**
 * `$1` is the join table, `$2` an exclusive upper bound of ids, `$3` the number of entries, `$4` the column with the
 * other key, `$5` the beginning of the keys, `$6` and `$7` the bounds of the ids of the key, `$8` the least id. Leaves
 * out changes that a cascade made only because the key of the record changed.
 */
const entriesStatement = `select ${entryColumns}, c.old_values operator(pg_catalog.->) $4::text as "oldTarget", c.new_values operator(pg_catalog.->) $4::text as "newTarget"
    from rowhouse.changes c
    where c.table_id ${equal} $1::uuid and c.id operator(pg_catalog.<) $2::bigint and c.id operator(pg_catalog.>=) $6::bigint
      and c.id operator(pg_catalog.<) $7::bigint and c.id operator(pg_catalog.>=) $8::bigint
      and ${keyBeginning('c.key')} operator(pg_catalog.>=) ${keyBeginning('$5::text')} and c.key operator(pg_catalog.>=) $5::text
      and ${keyBeginning('c.key')} operator(pg_catalog.<=) ${keyBeginning(`pg_catalog.concat($5::text, pg_catalog.chr(1114111))`)}
      and c.key operator(pg_catalog.<) pg_catalog.concat($5::text, pg_catalog.chr(1114111))
      and (c.operation operator(pg_catalog.<>) 'update' or (c.new_values operator(pg_catalog.->) $4::text) is not null)
    order by c.id desc limit $3::int`

/** @param entries latest first; their keys begin with the record's */
function toLinkChange({ id: columnId, name, joinTable }: Column, entries: readonly LinkEntry[]): Change {
  const first = entries.at(-1)!
  const present = (targets: unknown[]) => targets.filter((target) => target !== null).reverse()
  const [old, added] = [present(entries.map(({ oldTarget }) => oldTarget)), present(entries.map(({ newTarget }) => newTarget))]
  const pk = writeKey(keyParts(first.key).slice(0, joinTable!.ownColumns.length))
  return {
    ...{ id: first.id, at: first.at, action: 'update', pk, oldPk: null, by: authorOf(first), requestId: first.requestId },
    changes: [{ columnId, name, old, new: added }],
  }
}

/** `least` is the least id of the own change and of the links in it. */
export type WholeChange = { change: Change; least: bigint }

/** Merges both lists, latest first. Changes of one transaction become one change. */
export function withLinkChanges(changes: readonly { xid: string; change: Change }[], links: readonly LinkChange[]): WholeChange[] {
  const toWhole = ({ xid, change }: LinkChange) => ({
    xid,
    change: { ...change, changes: [...change.changes] },
    least: BigInt(change.id),
  })
  const merged = changes.map(toWhole)
  for (const link of links) {
    const same = merged.find(({ xid, change }) => xid === link.xid && change.action !== 'delete')
    if (same) {
      same.change.changes.push(...link.change.changes)
      if (BigInt(link.change.id) < same.least) same.least = BigInt(link.change.id)
    } else merged.push(toWhole(link))
  }
  return merged.sort((one, other) => (BigInt(one.change.id) < BigInt(other.change.id) ? 1 : -1))
}
