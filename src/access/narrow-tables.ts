import { equal } from '../db/search-path'
import { Lru } from '../lru'
import type { AccessSource, GroupName, RuleText, StoredRule } from '../tables/access-source'
import { indexTables, type NarrowTables, type Tables } from '../tables/catalog/catalog'
import { linkBack } from '../tables/catalog/links/linked-records'
import { withVirtualColumns } from '../tables/catalog/virtual-columns'
import { isVirtual } from '../tables/computed-value'
import { identifier, qualifiedName } from '../tables/ddl'
import type { CallerValues, Column, RowCondition, RowRule, Table } from '../tables/model'
import { allOf, allowsRead, anyOf, hasPlaceholders, placeholders, ruleAt, writableRows } from '../tables/row-rules'
import { type Grant, narrowColumns } from './narrow-columns'
import { findRuleCondition } from './rule-condition'

type Caller = Parameters<NarrowTables>[1]

const maxViews = 1000
/** The more tables there are, the fewer views are cached, because each view may hold a copy of every table. */
const maxViewedTables = 100_000

/** The tables that each caller may access. A changed definition or rule creates a new `Tables` object. */
const views = new WeakMap<Tables, Lru<string, Tables>>()

/**
 * The tables as a caller may use them. All code that plans and writes statements gets its tables from here, so rules
 * are part of every statement, and anything hidden from the caller does not exist for them.
 */
export const narrowTables: NarrowTables = (tables, actor) => {
  if (!tables.access || actor.user.role === 'admin') return tables
  const ofTables = views.get(tables) ?? new Lru<string, Tables>(maxViewsOf(tables))
  views.set(tables, ofTables)
  const { id, role, email } = actor.user
  const key = `${id} ${role} ${email}`
  const cached = ofTables.get(key)
  if (cached) return cached
  const made = narrowAll(tables, tables.access, actor)
  ofTables.set(key, made)
  return made
}

const maxViewsOf = ({ list }: Tables): number => Math.min(maxViews, Math.ceil(maxViewedTables / Math.max(1, list.length)))

function narrowAll(tables: Tables, access: AccessSource, { user }: Caller): Tables {
  const groups = access.groupsOf.get(user.id) ?? []
  const caller: CallerValues = { id: user.id, email: user.email, groups: groups.map(({ name }) => name) }
  const isMember = (rule: StoredRule) => isFor(rule, groups, user.role)
  const narrowed = tables.list.flatMap((table) => {
    const rules = rulesNaming(access, table)
    return rules.length === 0 ? [table] : (narrowTable(tables, table, rules.filter(isMember), caller) ?? [])
  })
  const byName = new Map(narrowed.map((table) => [qualifiedName(table), table]))
  const joined = narrowed.flatMap((table) => (table.isJoinTable ? (narrowJoinTable(table, byName, caller) ?? []) : [table]))
  const isComputed = joined.some(({ columns }) => columns.some(isVirtual))
  const computed = isComputed ? withVirtualColumns(joined) : joined
  const reachable = new Map(computed.map((table) => [table.id, table]))
  const list = computed.map((table) => narrowLinks(table, tables, reachable, caller))
  const isNarrowed = list.length < tables.list.length || list.some((table) => !isWhole(table))
  const isWriteNarrowed = isNarrowed || list.some((table) => !isWritableWhole(table))
  return indexTables({ ...tables, list, isNarrowed, isWriteNarrowed, rulesKey: keyOf(access.rules, isMember, caller) })
}

/** A line that applies to other users closes its table to the caller; a second such line changes nothing. */
function keyOf(rules: readonly StoredRule[], isMember: (rule: StoredRule) => boolean, caller: CallerValues): string {
  const named = new Set(rules.map(({ table, tableId }) => tableId ?? table))
  return hashOf([rules.filter(isMember), [...named].sort(), caller])
}

const hashOf = (value: unknown): string => new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('hex')

/** Whether every record and column of the table may be read. */
const isWhole = ({ access, columns }: Table) =>
  (access?.read ?? 'all') === 'all' &&
  columns.every((column) => !column.access?.isHidden && !column.access?.isUnreadable && !column.access?.visibleIn)

/** Whether every record and column may be written. Links to many are written with the records that they join. */
const isWritableWhole = ({ access, columns, isJoinTable }: Table) =>
  isJoinTable ||
  ((access?.delete ?? 'all') === 'all' &&
    (access?.writes ?? []).some(({ create, update, columns: writable }) => create === 'all' && update === 'all' && writable === null) ===
      (access !== undefined) &&
    columns.every((column) => !column.access))

/** The lines of the document for a table. A caller without an applicable line has no access to the table. */
export const rulesNaming = ({ rules }: AccessSource, { id, isJoinTable }: Table): StoredRule[] =>
  isJoinTable ? [] : rules.filter(({ table, tableId }) => (tableId === undefined ? table === '*' : tableId === id))

export const isFor = ({ group, groupId }: StoredRule, groups: readonly GroupName[], role: string): boolean =>
  groupId === undefined ? group === 'everyone' || group === `role:${role}` : groups.some(({ id }) => id === groupId)

/** @returns null if no line allows any of it, and the table itself if the lines allow everything */
function narrowTable(tables: Tables, table: Table, rules: readonly StoredRule[], caller: CallerValues): Table | null {
  const grants = rules.map((rule): Grant => {
    const ruleOf = (text: RuleText) => toRowRule(tables, table, text, caller)
    const { columns, ...texts } = rule
    return {
      ...{ read: ruleOf(texts.read), create: ruleOf(texts.create), update: ruleOf(texts.update), delete: ruleOf(texts.delete) },
      reads: columns?.read ? new Set(columns.read) : null,
      writes: columns?.write ? new Set(columns.write) : null,
    }
  })
  const [read, remove] = [anyOf(grants.map((grant) => grant.read)), anyOf(grants.map((grant) => grant.delete))]
  const [create, update] = [anyOf(grants.map((grant) => grant.create)), anyOf(grants.map((grant) => grant.update))]
  if ([read, create, update, remove].every((rule) => rule === 'none')) return null
  const writes = grants.map((grant) => ({ create: grant.create, update: grant.update, columns: grant.writes }))
  const columns = narrowColumns(table, grants, read)
  const isOpen = writes.some((grant) => grant.create === 'all' && grant.update === 'all' && grant.columns === null)
  if (isOpen && read === 'all' && remove === 'all' && columns.every((column, index) => column === table.columns[index])) return table
  return { ...table, columns, columnsHash: narrowedHash(table, columns), access: { read, delete: remove, writes } }
}

/** Callers with different rules see the same row differently, so its version also differs. */
function narrowedHash({ columnsHash }: Table, columns: readonly Column[]): string {
  const narrowed = columns.flatMap(({ id, isReadable, access }) => (access ? [[id, isReadable, access.visibleIn?.sql ?? null]] : []))
  return narrowed.length > 0 ? hashOf([columnsHash, narrowed]).slice(0, columnsHash.length) : columnsHash
}

const conditions = new WeakMap<Tables, Map<string, ReturnType<typeof findRuleCondition>>>()

/** A filter that no longer fits its table allows nothing: a column may have been renamed or deleted. */
function toRowRule(tables: Tables, table: Table, text: RuleText, caller: CallerValues): RowRule {
  if (text === 'all' || text === 'none') return text
  const ofTables = conditions.get(tables) ?? new Map<string, ReturnType<typeof findRuleCondition>>()
  conditions.set(tables, ofTables)
  const key = `${table.id} ${text}`
  if (!ofTables.has(key)) ofTables.set(key, findRuleCondition(tables, table, text))
  const found = ofTables.get(key)!
  return found === null ? 'none' : { ...found, caller }
}

/**
 * A link is visible to a caller who may read both of its ends and the column, and can be changed only through the
 * records.
 */
function narrowJoinTable(table: Table, byName: ReadonlyMap<string, Table>, caller: CallerValues): Table | null {
  const ends = table.foreignKeys.map((key) => {
    const target = byName.get(qualifiedName(key.target))
    return { key, target, column: target?.columns.find(({ type, joinTable }) => type === 'manyLinks' && isSameTable(joinTable, table)) }
  })
  if (ends.some(({ target, column }) => !target || !allowsRead(target) || column?.isReadable === false)) return null
  if (ends.every(({ target }) => !target!.access)) return table
  const conditions = ends.flatMap(({ key, target, column }) => {
    const rule = allOf([target!.access?.read ?? 'all', column?.access?.visibleIn ?? 'all'])
    return existsText(target!, key.columns, key.targetColumns, rule) ?? []
  })
  const read: RowRule = conditions.length > 0 ? { sql: `(${conditions.join(' and ')})`, caller } : 'all'
  return { ...table, access: { read, delete: 'none', writes: [] } }
}

const isSameTable = (one: Pick<Table, 'schema' | 'name'> | undefined, other: Table) =>
  one?.schema === other.schema && one.name === other.name

/**
 * The condition that the row's columns point to a record that the caller may read; null if they may read all of them.
 */
function existsText(
  target: Table,
  columns: readonly string[],
  targetColumns: readonly string[],
  rule: RowRule = target.access?.read ?? 'all',
): string | null {
  // A different alias from that of `readableRows`, which may contain this condition.
  const condition = ruleAt(rule, 'linked')
  if (condition === null) return null
  const pairs = columns.map((name, index) => `linked.${identifier(targetColumns[index]!)} ${equal} ${placeholders.row}.${identifier(name)}`)
  return `exists (select from ${qualifiedName(target)} linked where ${[...pairs, condition].join(' and ')})`
}

/** Restricts what a column reveals about records of other tables. */
function narrowLinks(table: Table, all: Tables, reachable: ReadonlyMap<string, Table>, caller: CallerValues): Table {
  const columns = table.columns.map((column) => {
    const linked = column.joinTable ? narrowLinkList(column, reachable, caller) : narrowForeignKey(table, column, all, reachable, caller)
    const readOnly = linked.access?.isReadOnly && linked.isWritable ? { ...linked, isWritable: false } : linked
    const { computed } = readOnly
    const text = computed && [...computed.from, computed.value].join('')
    return text && hasPlaceholders(text) ? { ...readOnly, computed: { ...computed, caller } } : readOnly
  })
  return columns.every((column, index) => column === table.columns[index]) ? table : { ...table, columns }
}

/** Links to many: the list contains the records that the caller may read. */
function narrowLinkList(column: Column, reachable: ReadonlyMap<string, Table>, caller: CallerValues): Column {
  const joinTable = column.joinTable!
  const target = reachable.get(joinTable.targetTableId)
  if (target && !target.access) return column
  const linkable = linkableRule(joinTable, target, caller)
  // The other side of a link is stored in the other record. It is read-only if only some of the records could be
  // changed.
  const isFixed = joinTable.isTarget
    ? target?.access?.writes.every(({ update, columns }) => update === 'all' && columns === null) !== true
    : column.type === 'reverseLinks' && target !== undefined && isChangedByLinks(target, joinTable)
  const access = isFixed ? { ...column.access, isReadOnly: true as const } : column.access
  return { ...column, ...(access ? { access } : {}), joinTable: { ...joinTable, linkable } }
}

/**
 * Whether a rule for changes of the target follows links: the rule is checked only where the target's records are
 * written.
 */
function isChangedByLinks(target: Table, joinTable: NonNullable<Column['joinTable']>): boolean {
  const back = linkBack(target, joinTable)
  const rule = target.access && back ? writableRows(target.access, 'update', [back]) : 'all'
  return typeof rule === 'object' && rule.needsLinks === true
}

/** A link is visible from the other side only if the caller may read the link itself. */
function linkableRule(joinTable: NonNullable<Column['joinTable']>, target: Table | undefined, caller: CallerValues): RowRule {
  const { isTarget, targetColumns } = joinTable
  if (!target || target.access?.read === 'none') return 'none'
  const visibleIn = linkBack(target, joinTable)?.access?.visibleIn
  const rule = allOf([target.access?.read ?? 'all', visibleIn ?? 'all'])
  if (isTarget) return rule
  const sql = existsText(target, targetColumns, target.primaryKey, rule)
  return sql === null ? 'all' : { sql, caller }
}

/**
 * A foreign key may be set to a record that the caller may read; setting it to another one would reveal that it exists.
 */
function narrowForeignKey(table: Table, column: Column, all: Tables, reachable: ReadonlyMap<string, Table>, caller: CallerValues): Column {
  const conditions = table.foreignKeys.flatMap((key) => {
    if (!key.columns.includes(column.name)) return []
    const target = all.byQualifiedName.get(`${key.target.schema}.${key.target.name}`)
    const seen = target && reachable.get(target.id)
    if (!target || (seen && (seen.access?.read ?? 'all') === 'all')) return []
    const isEmpty = key.columns.map((name) => `${placeholders.row}.${identifier(name)} is null`)
    return `(${[...isEmpty, seen ? existsText(seen, key.columns, key.targetColumns)! : 'false'].join(' or ')})`
  })
  if (conditions.length === 0) return column
  const linksTo: RowCondition = { sql: conditions.join(' and '), caller }
  return { ...column, access: { ...column.access, linksTo } }
}
