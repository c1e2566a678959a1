import type { Tables } from '../tables/catalog/catalog'
import type { ForeignKey, JoinTable, Table } from '../tables/model'
import { keyParts, type LogEntry, type NamedColumns, valuesToday } from './log-entry'

/** Identifies a record by the text of its key in the log. */
export const recordOf = ({ tableId, key }: Pick<LogEntry, 'tableId' | 'key'>): string => `${tableId} ${key}`

type Skipped = {
  left: LogEntry[]
  /** For each record or join table row that is left unchanged: the change that is the reason. */
  skipped: Map<string, LogEntry>
}

/**
 * The entries that an undo reverts. Excludes the entries of records that have changed since, of their links to many,
 * and of records that the request created for them to link to.
 * @param changed the last change of each record since
 */
export function withoutSkipped(
  entries: readonly LogEntry[],
  changed: readonly LogEntry[],
  tables: Tables,
  namesOf: (table: Table) => NamedColumns,
): Skipped {
  const skipped = new Map(changed.map((entry) => [recordOf(entry), entry]))
  if (changed.length === 0) return { left: [...entries], skipped }
  const parts = partsOfRecords(entries, tables, namesOf)
  const created = new Map(entries.filter(({ operation }) => operation === 'insert').map((entry) => [identityOf(entry), entry]))
  const pending = changed.map((entry) => ({ identity: identityOf(entry), cause: entry }))
  const skip = (record: Pick<LogEntry, 'tableId' | 'key'>, cause: LogEntry) => {
    if (skipped.has(recordOf(record))) return
    skipped.set(recordOf(record), cause)
    pending.push({ identity: identityOf(record), cause })
  }
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { identity, cause } = next
    for (const entry of parts.get(identity) ?? []) {
      const { tableId, oldKey } = entry
      skipped.set(recordOf(entry), cause)
      if (oldKey !== null) skip({ tableId, key: oldKey }, cause)
      for (const target of linkedRecords(entry, tables, namesOf).flatMap((linked) => created.get(linked) ?? [])) skip(target, cause)
    }
  }
  const isSkipped = ({ tableId, key, oldKey }: LogEntry) =>
    skipped.has(recordOf({ tableId, key })) || (oldKey !== null && skipped.has(recordOf({ tableId, key: oldKey })))
  return { left: entries.filter((entry) => !isSkipped(entry)), skipped }
}

/** The entries of each record (`identityOf`), and of the rows of join tables that are its links to many. */
function partsOfRecords(entries: readonly LogEntry[], tables: Tables, namesOf: (table: Table) => NamedColumns): Map<string, LogEntry[]> {
  const owners = new Map<string, JoinTable>()
  for (const { type, joinTable } of tables.list.flatMap(({ columns }) => columns))
    if (type === 'manyLinks' && joinTable) owners.set(`${joinTable.schema}.${joinTable.name}`, joinTable)
  return Map.groupBy(entries, (entry) => {
    const table = tables.byId.get(entry.tableId)!
    const owner = owners.get(`${table.schema}.${table.name}`)
    const link = owner && table.foreignKeys.find(({ columns }) => Bun.deepEquals(columns, owner.ownColumns))
    const values = link && valuesToday(entry.newValues ?? entry.oldValues, entry.id, namesOf(table).all, () => true)
    return (values && targetOf(tables, link, values)) || identityOf(entry)
  })
}

/** The records that a record linked to after the change, or before its deletion (`identityOf`). */
function linkedRecords(entry: LogEntry, tables: Tables, namesOf: (table: Table) => NamedColumns): string[] {
  const table = tables.byId.get(entry.tableId)!
  if (table.foreignKeys.length === 0) return []
  const values = valuesToday(entry.newValues ?? entry.oldValues, entry.id, namesOf(table).all, () => true)
  return table.foreignKeys.flatMap((link) => targetOf(tables, link, values) ?? [])
}

/** The record that a link leads to, as `identityOf` writes it; null if the caller does not see its table. */
export function targetOf(
  { byQualifiedName }: Tables,
  { columns, target, targetColumns }: ForeignKey,
  values: Readonly<Record<string, unknown>>,
): string | null {
  const table = byQualifiedName.get(`${target.schema}.${target.name}`)
  if (!table) return null
  return identity(
    table.id,
    table.primaryKey.map((name) => textOf(values[columns[targetColumns.indexOf(name)] ?? ''])),
  )
}

/** Identifies a record by the parts of its key. */
export const identityOf = ({ tableId, key }: Pick<LogEntry, 'tableId' | 'key'>): string => identity(tableId, keyParts(key))

const identity = (tableId: string, parts: readonly string[]) => `${tableId} ${parts.join('\n')}`

/** In the form of keys in the log. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
