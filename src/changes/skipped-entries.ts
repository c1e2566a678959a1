import type { Tables } from '../tables/catalog/catalog'
import type { ForeignKey, Table } from '../tables/model'
import { keyParts, type LogEntry, type NamedColumns, valuesToday } from './log-entry'

/** Identifies a record by the text of its key in the log. */
export const recordOf = ({ tableId, key }: Pick<LogEntry, 'tableId' | 'key'>): string => `${tableId} ${key}`

type Skipped = {
  left: LogEntry[]
  /** For each record that stays as it is, also rows of join tables: the change because of which it stays. */
  skipped: Map<string, LogEntry>
}

/**
 * The entries that an undo reverts, without those of records that have changed since, of their links to many, and of
 * the records that the request created for them to link to.
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
  const linksOf = (entry: LogEntry) => linkedRecords(entry, tables, namesOf)
  const created = new Map(entries.filter(({ operation }) => operation === 'insert').map((entry) => [identityOf(entry), entry]))
  const causeOf = ({ tableId, key, oldKey }: LogEntry) =>
    skipped.get(recordOf({ tableId, key })) ?? (oldKey === null ? undefined : skipped.get(recordOf({ tableId, key: oldKey })))
  const skipTargets = (entry: LogEntry, cause: LogEntry): void => {
    const pending = [entry]
    for (let next = pending.pop(); next; next = pending.pop())
      for (const target of linksOf(next).flatMap((identity) => created.get(identity) ?? []))
        if (!skipped.has(recordOf(target))) {
          skipped.set(recordOf(target), cause)
          pending.push(target)
        }
  }
  const changedBy = new Map(changed.map((entry) => [identityOf(entry), entry]))
  for (const entry of entries.filter(({ tableId }) => tables.byId.get(tableId)!.isJoinTable)) {
    const cause = linksOf(entry)
      .map((identity) => changedBy.get(identity))
      .find((each) => each !== undefined)
    if (cause) skipped.set(recordOf(entry), cause)
  }
  for (const entry of entries) {
    const cause = causeOf(entry)
    if (cause) skipTargets(entry, cause)
  }
  return { left: entries.filter((entry) => !causeOf(entry)), skipped }
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

/** As in the keys of the log. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
