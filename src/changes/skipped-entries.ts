import type { Tables } from '../tables/catalog/catalog'
import type { ForeignKey, Table } from '../tables/model'
import { keyParts, type LogEntry, type NamedColumns, valuesToday } from './log-entry'

/** Identifies a record by the text of its key in the log. */
export const recordOf = ({ tableId, key }: Pick<LogEntry, 'tableId' | 'key'>): string => `${tableId} ${key}`

type Skipped = {
  left: LogEntry[]
  /** For each record that stays as it is, rows of join tables among them, the change since on whose account it stays. */
  skipped: Map<string, LogEntry>
}

/**
 * The entries that an undo reverts, without those of records that have changed since, and of links to many of these.
 * @param changed the last change of each record since
 */
export function withoutSkipped(
  entries: readonly LogEntry[],
  changed: readonly LogEntry[],
  tables: Tables,
  namesOf: (table: Table) => NamedColumns,
): Skipped {
  const skipped = new Map(changed.map((entry) => [recordOf(entry), entry]))
  const byParts = new Map(changed.map((entry) => [identityOf(entry), entry]))
  const left = entries.filter((entry) => {
    const { tableId, key, oldKey } = entry
    const table = tables.byId.get(tableId)!
    const causes = [
      skipped.get(recordOf(entry)),
      ...(oldKey === null ? [] : [skipped.get(recordOf({ tableId, key: oldKey }))]),
      ...(table.isJoinTable ? linkedRecords(entry, table, tables, namesOf).map((record) => byParts.get(record)) : []),
    ]
    const cause = causes.find((each) => each !== undefined)
    if (cause && table.isJoinTable) skipped.set(recordOf({ tableId, key }), cause)
    return !cause
  })
  return { left, skipped }
}

/** The records that a row of a join table links. */
function linkedRecords(entry: LogEntry, holder: Table, tables: Tables, namesOf: (table: Table) => NamedColumns): string[] {
  const values = valuesToday(entry.newValues ?? entry.oldValues, entry.id, namesOf(holder), () => true)
  return holder.foreignKeys.flatMap((link) => targetOf(tables, link, values) ?? [])
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
