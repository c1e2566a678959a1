import type { Query } from '../db/pool/open'
import { equal } from '../db/search-path'
import { exactJson } from '../exact-json'
import { writeKey } from '../records/store/key'
import { isStoredColumn } from '../tables/computed-value'
import type { Column, Table } from '../tables/model'
import type { Author, Change, ChangedValue } from './model'

/** A row of `rowhouse.changes`, as selected by the statements of this folder with `entryColumns`. */
export type LogEntry = {
  id: string
  at: string
  xid: string
  tableId: string
  operation: 'insert' | 'update' | 'delete' | 'truncate'
  key: string
  oldKey: string | null
  /** JSON as text, so that numbers keep their digits. */
  oldValues: string | null
  newValues: string | null
  userId: string | null
  credential: string | null
  credentialId: string | null
  plugin: string | null
  requestId: string | null
  role: string | null
}

/** For a log whose alias is c. */
export const entryColumns = `c.id::text as id, pg_catalog.to_char(c.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, c.xid::text as xid,
  c.table_id::text as "tableId", c.operation, c.key, c.old_key as "oldKey", c.old_values::text as "oldValues", c.new_values::text as "newValues",
  c.user_id::text as "userId", c.credential, c.credential_id::text as "credentialId", c.plugin, c.request_id as "requestId", c.role`

export const authorOf = ({ userId, credential, credentialId, plugin, role }: LogEntry): Author => ({
  userId,
  credential: credential && credentialId ? { kind: credential, id: credentialId } : null,
  plugin,
  role,
})

/** The part of a key that the log's index contains. @param key SQL of a text */
export const keyBeginning = (key: string): string => `pg_catalog.left(${key}, 200)`

/** The condition that a log entry has a key. @param key SQL of a text */
export const isKey = (log: string, key: string): string =>
  `${keyBeginning(`${log}.key`)} ${equal} ${keyBeginning(key)} and ${log}.key ${equal} ${key}`

/** The parts of a key in the log's format. */
export const keyParts = (key: string): string[] => JSON.parse(key) as string[]

/** Resolves a column name in the log, as of the time of the change. */
type VisibleColumns = {
  /** Null for a deleted column, and for one that the caller does not see. */
  columnAt: (name: string, changeId: string) => Column | null
  /** Whether the caller may see values of deleted columns: only if no access rule restricts the table. */
  showsGone: boolean
}

/** `all` includes the columns that the caller does not see. */
export type NamedColumns = VisibleColumns & { all: LoggedColumns }

export async function namedColumns(query: Query, table: Table): Promise<NamedColumns> {
  const all = await loggedColumns(query, table)
  return {
    columnAt: (name, changeId) => {
      const column = all.columnAt(name, changeId)
      return column && isShownInLog(column) ? column : null
    },
    showsGone: table.access === undefined,
    all,
  }
}

/**
 * The names of a table's columns in the log at the time of a change, including columns that the caller does not see.
 */
export type LoggedColumns = Pick<VisibleColumns, 'columnAt'> & {
  nameAt: (column: Column, changeId: string) => string
  /**
   * Whether a value from that time would have a different meaning in the column, for example a record of another table.
   */
  meantOther: (column: Column, changeId: string) => boolean
}

type FormerName = { columnId: string; name: string; until: string }

export async function loggedColumns(query: Query, { id, columns }: Table): Promise<LoggedColumns> {
  const names = await query<FormerName>(
    `select n.column_id::text as "columnId", n.name, n.until::text as "until" from rowhouse.column_names n
     where n.table_id operator(pg_catalog.=) $1::uuid order by n.until`,
    [id],
  )
  const byId = new Map(columns.map((column) => [column.id, column]))
  const byName = new Map(columns.map((column) => [column.name, column]))
  const isAfter = ({ until }: FormerName, changeId: string) => BigInt(until) > BigInt(changeId)
  const namesSince = ({ id, name }: Column, changeId: string) => [
    ...names.filter((each) => each.columnId === id && isAfter(each, changeId)).map((each) => each.name),
    name,
  ]
  return {
    columnAt: (name, changeId) => {
      const former = names.find((each) => each.name === name && isAfter(each, changeId))
      return (former ? byId.get(former.columnId) : byName.get(name)) ?? null
    },
    nameAt: (column, changeId) => namesSince(column, changeId)[0]!,
    meantOther: (column, changeId) => namesSince(column, changeId).some((name, index, all) => name === all[index + 1]),
  }
}

/**
 * Whether earlier states show the column. A value that the caller sees in only some records is hidden, because an
 * earlier state may not meet the condition.
 */
export const isShownInLog = (column: Column): boolean =>
  isStoredColumn(column) && column.isReadable && !column.access?.isHidden && !column.access?.isUnreadable && !column.access?.visibleIn

type Values = Record<string, unknown>

/** Numbers keep their digits (`exactJson`). */
const valuesOf = (text: string | null): Values => (text === null ? {} : (exactJson(text) as Values))

function changedValues({ id, oldValues, newValues }: LogEntry, { columnAt, showsGone }: VisibleColumns, table: Table): ChangedValue[] {
  const [before, after] = [valuesOf(oldValues), valuesOf(newValues)]
  const columnNames = new Set(table.columns.map(({ name }) => name))
  return Object.keys({ ...before, ...after }).flatMap((name): ChangedValue[] => {
    const values = { old: before[name] ?? null, new: after[name] ?? null }
    const column = columnAt(name, id)
    if (column) return [{ columnId: column.id, name: column.name, ...values }]
    // If the table still has a column of this name, it is one that the caller does not see.
    return showsGone && !columnNames.has(name) ? [{ columnId: null, name, ...values }] : []
  })
}

const actionOf = { insert: 'create', update: 'update', delete: 'delete', truncate: 'delete' } as const

export const toChange = (entry: LogEntry, columns: VisibleColumns, table: Table): Change => ({
  id: entry.id,
  at: entry.at,
  action: actionOf[entry.operation],
  pk: writeKey(keyParts(entry.key)),
  oldPk: entry.oldKey === null ? null : writeKey(keyParts(entry.oldKey)),
  by: authorOf(entry),
  requestId: entry.requestId,
  changes: changedValues(entry, columns, table),
})

/** Logged values under the columns' current names, for the columns that still exist. */
export function valuesToday(
  values: string | null,
  changeId: string,
  { columnAt }: Pick<VisibleColumns, 'columnAt'>,
  isWanted: (column: Column) => boolean,
): Values {
  const entries = Object.entries(valuesOf(values)).flatMap(([name, value]) => {
    const column = columnAt(name, changeId)
    return column && isWanted(column) ? [[column.name, value] as const] : []
  })
  return Object.fromEntries(entries)
}
