import type { StoredRule } from '../access-source'
import type { LinkedFilter } from '../column-types/computed'
import type { Column, Table } from '../model'
import type { Tables } from './catalog'

const found = new WeakMap<Tables, ReadonlySet<string>>()

/**
 * Ids of the columns that rules hide from some users who may read other columns of the table, and of the columns whose
 * values come from such a column, or from a table in which rules hide records from some users.
 * @param tables as they are, not narrowed for a caller
 */
export function restrictedColumns(tables: Tables): ReadonlySet<string> {
  const cached = found.get(tables)
  if (cached) return cached
  const made = findRestricted(tables)
  found.set(tables, made)
  return made
}

function findRestricted({ access, list }: Tables): Set<string> {
  const restricted = new Set<string>()
  if (!access) return restricted
  const rulesOf = Map.groupBy(access.rules, ({ table, tableId }) => tableId ?? table)
  const partial = new Set<string>()
  for (const table of list) {
    if (table.isJoinTable) continue
    const own = rulesOf.get(table.id) ?? []
    const rules = [...own, ...(rulesOf.get('*') ?? [])]
    if (rules.length > 0 && !areForAll(rules)) partial.add(table.id)
    if (own.some(({ columns }) => columns?.read)) for (const { id } of hiddenFromSome(table, rules)) restricted.add(id)
  }
  const computed = list
    .flatMap(({ columns }) => columns)
    .map((column) => ({ id: column.id, from: sourcesOf(column), reads: column.reads ?? [] }))
    .filter(({ from, reads }) => from.length > 0 || reads.length > 0)
  for (let size = -1; size !== restricted.size; ) {
    size = restricted.size
    for (const { id, from, reads } of computed)
      if (reads.some((tableId) => partial.has(tableId)) || from.some((source) => restricted.has(source))) restricted.add(id)
  }
  return restricted
}

/** Whether the rules together let every user read all records. */
function areForAll(rules: readonly StoredRule[]): boolean {
  const groups = new Set(rules.flatMap(({ group, groupId, read }) => (groupId === undefined && read === 'all' ? [group] : [])))
  return groups.has('everyone') || (groups.has('role:editor') && groups.has('role:viewer'))
}

function hiddenFromSome({ columns, primaryKey }: Table, rules: readonly StoredRule[]): Column[] {
  const readers = rules.filter(({ read }) => read !== 'none')
  return columns.filter(({ id, name }) => {
    const showing = readers.filter((rule) => rule.columns?.read?.includes(id) ?? true)
    return !primaryKey.includes(name) && showing.length < readers.length && !areForAll(showing)
  })
}

/** Ids of the columns, of this table and others, that the value is computed along or from. */
const sourcesOf = ({ options: { link, column, filter }, readFormula }: Column): string[] =>
  [
    ...[link, column, ...((filter ?? []) as LinkedFilter[]).map((condition) => condition.column)],
    ...(readFormula?.uses ?? []).map(({ id }) => id),
  ].filter((id) => typeof id === 'string')
