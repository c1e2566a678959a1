import type { Tables } from '../tables/catalog/catalog'
import type { ForeignKey, Table } from '../tables/model'
import { type LogEntry, type NamedColumns, valuesToday } from './log-entry'

/** The names of a table's columns at the time of a change. */
export type NamesOf = (table: Table) => NamedColumns

/** Values that a link may point to, and an entry that removes them and, when undone, restores them. */
type Provider = { entry: LogEntry; isTaken: boolean }

/** Latest entry first. */
type Providers = {
  /** By the table and its columns with the values, as `keyOf` writes them. */
  byKey: Map<string, Provider[]>
  /** The keys of several columns by each column with its value, as `partOf` writes them. */
  byPart: Map<string, Set<string>>
}

/**
 * The order in which entries are undone: latest first, except that a record is restored before the records that link to
 * it. In the log, the entries of a cascade follow the change that caused it, and the rows of one statement in any
 * order.
 * @param entries latest first
 */
export function undoOrder(entries: readonly LogEntry[], tables: Tables, namesOf: NamesOf): LogEntry[] {
  const providers = providersOf(entries, tables, namesOf)
  if (providers.byKey.size === 0) return [...entries]
  const later = laterEntries(entries)
  const needs = (entry: LogEntry) => [...later.get(entry)!, ...linkedTo(entry, tables, namesOf, providers)]
  const ordered = new Set<LogEntry>()
  for (const entry of entries) addWithNeeds(entry, needs, ordered)
  return [...ordered]
}

/**
 * Not recursive, since a chain of links may be as long as the list of entries. In a cycle of links, the last one waits.
 */
function addWithNeeds(entry: LogEntry, needs: (entry: LogEntry) => LogEntry[], ordered: Set<LogEntry>): void {
  const path = [{ entry, needed: needs(entry) }]
  const onPath = new Set([entry])
  while (path.length > 0) {
    const last = path.at(-1)!
    const next = last.needed.find((each) => !ordered.has(each) && !onPath.has(each))
    if (next) {
      path.push({ entry: next, needed: needs(next) })
      onPath.add(next)
    } else {
      ordered.add(last.entry)
      path.pop()
    }
  }
}

/** The possible targets of links. */
function providersOf(entries: readonly LogEntry[], tables: Tables, namesOf: NamesOf): Providers {
  const found: Providers = { byKey: new Map(), byPart: new Map() }
  const involved = new Set(entries.map(({ tableId }) => tableId))
  const targets = new Map<string, Map<string, string[]>>()
  for (const { foreignKeys } of [...involved].flatMap((id) => tables.byId.get(id) ?? []))
    for (const { target, targetColumns } of foreignKeys) {
      const table = tables.byQualifiedName.get(`${target.schema}.${target.name}`)
      if (!table || !involved.has(table.id)) continue
      const columns = targets.get(table.id) ?? new Map<string, string[]>()
      targets.set(table.id, columns.set(targetColumns.join('\n'), targetColumns))
    }
  for (const entry of entries) {
    for (const columns of targets.get(entry.tableId)?.values() ?? []) {
      const table = tables.byId.get(entry.tableId)!
      for (const isTaken of [true, false]) {
        const values = valuesOf(entry, isTaken, table, namesOf)
        const key = keyOf(table, columns, columns, values)
        if (key) addProvider(found, key, { entry, isTaken })
        if (key && columns.length > 1) for (const name of columns) addPart(found, partOf(table, columns, name, values[name]), key)
      }
    }
  }
  return found
}

function addProvider({ byKey }: Providers, key: string, provider: Provider): void {
  byKey.set(key, byKey.get(key) ?? [])
  byKey.get(key)!.push(provider)
}

const addPart = ({ byPart }: Providers, part: string, key: string) => byPart.set(part, (byPart.get(part) ?? new Set()).add(key))

/**
 * The next entry of the same record for each entry: a record's changes are undone in reverse order, even if a link
 * needs one of them earlier.
 */
function laterEntries(entries: readonly LogEntry[]): Map<LogEntry, LogEntry[]> {
  const next = new Map<string, LogEntry>()
  return new Map(
    entries.map((entry) => {
      const records = [entry.key, ...(entry.oldKey === null ? [] : [entry.oldKey])].map((key) => `${entry.tableId} ${key}`)
      const found = records.flatMap((record) => next.get(record) ?? [])
      for (const record of records) next.set(record, entry)
      return [entry, found] as const
    }),
  )
}

/**
 * The entries that removed the records that the old values of this entry link to: the last such entry before it, as in
 * a cascade, or the next one after it.
 */
function linkedTo(entry: LogEntry, tables: Tables, namesOf: NamesOf, providers: Providers): LogEntry[] {
  const table = tables.byId.get(entry.tableId)!
  if (table.foreignKeys.length === 0 || entry.oldValues === null) return []
  const values = valuesOf(entry, true, table, namesOf)
  return table.foreignKeys.flatMap((link) => {
    const other = tables.byQualifiedName.get(`${link.target.schema}.${link.target.name}`)
    if (!other) return []
    const logged = link.columns.filter((name) => Object.hasOwn(values, name))
    // `on delete set null (…)` empties some columns of a link, and an update logs only the columns that it changed.
    const isPart = logged.length < link.columns.length && logged.some((name) => valuesOf(entry, false, table, namesOf)[name] === null)
    const key = keyOf(other, link.targetColumns, link.columns, values)
    const keys = isPart ? keysWith(other, link, logged, values, providers) : key ? [key] : []
    return keys.flatMap((each) => removalOf(entry, providers.byKey.get(each) ?? []))
  })
}

function removalOf(entry: LogEntry, found: readonly Provider[]): LogEntry[] {
  const index = found.findIndex((each) => BigInt(each.entry.id) < BigInt(entry.id))
  const [before, after] = index < 0 ? [undefined, found.at(-1)] : [found[index], found[index - 1]]
  return [before?.isTaken ? before : after].flatMap((each) => (each?.isTaken && each.entry !== entry ? [each.entry] : []))
}

/** The keys that the link may have had: those with these values in the logged columns. */
function keysWith(
  other: Table,
  { columns, targetColumns }: ForeignKey,
  logged: readonly string[],
  values: Readonly<Record<string, unknown>>,
  { byPart }: Providers,
): string[] {
  const partWith = (name: string) => partOf(other, targetColumns, targetColumns[columns.indexOf(name)]!, values[name])
  const sets = logged.map((name) => byPart.get(partWith(name)) ?? new Set<string>())
  const [least, ...rest] = sets.sort((one, another) => one.size - another.size)
  return [...least!].filter((key) => rest.every((set) => set.has(key)))
}

const valuesOf = (entry: LogEntry, isOld: boolean, table: Table, namesOf: NamesOf): Record<string, unknown> =>
  valuesToday(isOld ? entry.oldValues : entry.newValues, entry.id, namesOf(table), () => true)

/** Null if a value is null or missing. @param names the columns that hold the values */
function keyOf({ id }: Table, columns: readonly string[], names: readonly string[], values: Record<string, unknown>): string | null {
  const parts = names.map((name) => values[name] ?? null)
  return parts.includes(null) ? null : JSON.stringify([id, columns, parts])
}

const partOf = ({ id }: Table, columns: readonly string[], name: string, value: unknown): string =>
  JSON.stringify([id, columns, name, value])
