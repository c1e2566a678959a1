import { arrayLiteral } from '../db/arrays'
import { sqlState } from '../db/errors'
import type { Executor, Query } from '../db/pool/open'
import { originText } from '../db/pool/origin'
import { currentScope } from '../db/pool/scope'
import { equal } from '../db/search-path'
import { conflict, notFound } from '../errors'
import { translatable } from '../messages/message'
import { planRead } from '../records/query/plan/read'
import { bind } from '../records/query/sql/statement'
import { changeList, updateEachShape } from '../records/query/sql/write'
import type { Filter, RecordQuery } from '../records/query/tree'
import { throwWriteFailure } from '../records/store/errors'
import { execute } from '../records/store/execute'
import { writeKey } from '../records/store/key'
import { accessDenied, requireWritable } from '../records/store/rights'
import { deleteRows } from '../records/store/writes/row-writes'
import { runAtomically } from '../records/store/writes/transaction'
import type { Tables } from '../tables/catalog/catalog'
import type { Column, ForeignKey, Table } from '../tables/model'
import { isRestorable } from './history'
import { isOfPresentList } from './link-changes'
import { authorOf, entryColumns, isKey, keyParts, type LogEntry, type NamedColumns, namedColumns, valuesToday } from './log-entry'
import { changedUnlogged } from './logged-tables'
import type { ChangedSince, UndoQuery, UndoReport } from './model'
import { markRestored } from './restored-entries'
import { insertDeleted, requireLoggedForms } from './restored-rows'
import { identityOf, recordOf, targetOf, withoutSkipped } from './skipped-entries'
import { undoOrder } from './undo-order'

/** The caller's tables and id, for the transaction of the undo. */
type Undoer = { tables: Tables; userId: string }
type Undoing = Undoer & {
  executor: Executor
  namesOf: (table: Table) => NamedColumns
  /** The records that are restored (`identityOf`). */
  coming: ReadonlySet<string>
}

/** For more changes, restore a backup instead. */
const maxChanges = 200_000
/** How many records one statement writes. */
const chunkSize = 1000
const maxListed = 100

/**
 * Undoes all changes that a request made to records, or none: deletes what it created, restores the previous values of
 * what it changed, and recreates what it deleted. The caller needs the rights to do so by hand.
 * @param deletedTables the ids of tables whose records are already gone
 * @throws Failure not_found, conflict (with `changedSince`), forbidden, validation_failed
 */
export function undoRecords(
  executor: Executor,
  { tables, userId }: Undoer,
  requestId: string,
  { dryRun, skipChanged }: UndoQuery,
  deletedTables: readonly string[] = [],
): Promise<UndoReport> {
  return runAtomically(executor, { isDryRun: dryRun, needsTransaction: true }, async (inside) => {
    const { query } = inside
    const entries = await entriesOfRequest(query, requestId, deletedTables)
    for (const entry of entries) requireUndoable(tables, userId, entry)
    await requirePresentLists(query, tables, entries)
    const namesOf = await namesOfTables(query, tables, entries)
    const logged = await changedSince(query, requestId, deletedTables)
    const listed = listOf(tables, logged)
    const changed = [...logged, ...(await changedUnlogged(query, tables, namesOf, entries, logged))]
    if (changed.length > 0 && !skipChanged) throw changedConflict(changed.length, listed)
    const undone = { created: 0, updated: 0, deleted: 0 }
    const { left, skipped } = withoutSkipped(entries, changed, tables, namesOf)
    const coming = new Set(left.filter(({ operation }) => operation === 'delete').map(identityOf))
    for (const group of groupsOf(undoOrder(left, tables, namesOf), tables)) {
      const table = tables.byId.get(group[0]!.tableId)!
      const undoing = { tables, userId, executor: inside, namesOf, coming }
      const count = await undoGroup(undoing, table, group).catch((error) => throwWriteFailure(error, table))
      if (!table.isJoinTable) undone[resultOf[group[0]!.operation as keyof typeof resultOf]] += count
    }
    // Checked now that the records are locked: changes that others made meanwhile would be lost.
    const meanwhile = (await changedSince(query, requestId, deletedTables)).filter((entry) => !skipped.has(recordOf(entry)))
    const beside = await changedBeside(query, requestId, [...skipped.keys()])
    const lost = [...meanwhile, ...beside.map((entry) => skipped.get(recordOf(entry)) ?? entry)]
    if (lost.length > 0) throw changedConflict(lost.length, listOf(tables, lost))
    // An error at the commit of a surrounding transaction could not be traced to records.
    if (executor.isTransaction) await query('set constraints all immediate')
    return { requestId, ...undone, skipped: countRecords(tables, skipped), changedSince: listed }
    // An error at the commit does not name its table.
  }).catch((error) => throwWriteFailure(error, ...(tables.isNarrowed ? tables.list : [])))
}

/** Excludes rows of join tables, which count as parts of records. */
const countRecords = (tables: Tables, skipped: ReadonlyMap<string, LogEntry>): number =>
  [...skipped.keys()].filter((record) => !tables.byId.get(record.slice(0, record.indexOf(' ')))?.isJoinTable).length

async function namesOfTables(query: Query, tables: Tables, entries: readonly LogEntry[]): Promise<Undoing['namesOf']> {
  const names = new Map<Table, NamedColumns>()
  for (const id of new Set(entries.map(({ tableId }) => tableId))) {
    const table = tables.byId.get(id)!
    names.set(table, await namedColumns(query, table))
  }
  return (table) => names.get(table)!
}

const resultOf = { insert: 'deleted', update: 'updated', delete: 'created' } as const

/** Latest first: in that order, a link's target exists when the link needs it. */
async function entriesOfRequest(query: Query, requestId: string, deletedTables: readonly string[]): Promise<LogEntry[]> {
  const entries = await query<LogEntry>(
    `select ${entryColumns} from rowhouse.changes c where c.request_id ${equal} $1::text and not c.table_id ${equal} any($3::uuid[])
     order by c.id desc limit $2::int`,
    [requestId, String(maxChanges + 1), arrayLiteral(deletedTables)],
  )
  if (entries.length === 0 && deletedTables.length === 0) throw notFound(translatable('No changes of this request are in the log.'))
  if (entries.length > maxChanges) {
    throw conflict(translatable('The request made more than {maxChanges} changes, which are too many to undo at once.', { maxChanges }), {
      hint: translatable('Restore a backup, or one table of it.'),
    })
  }
  return entries
}

/** If an access rule restricts the table, the caller must not learn of changes by others. */
function requireUndoable(tables: Tables, caller: string, { tableId, operation, userId }: LogEntry): void {
  const table = tables.byId.get(tableId)
  if (table?.access && userId !== caller) throw accessDenied(table, 'update')
  if (!table) throw tableUnknown()
  if (operation === 'truncate')
    throw conflict(translatable('"{name}" was emptied with TRUNCATE, which logs no values.', { name: table.name }))
  if (!table.isJoinTable) requireWritable(table, operation === 'insert' ? 'delete' : operation === 'delete' ? 'insert' : 'update')
}

/** Refuses changes of deleted join tables, even if other tables now have their names. */
async function requirePresentLists(query: Query, tables: Tables, entries: readonly LogEntry[]): Promise<void> {
  for (const [id, ofTable] of Map.groupBy(entries, ({ tableId }) => tableId)) {
    const table = tables.byId.get(id)!
    if (!table.isJoinTable) continue
    const isPresent = await isOfPresentList(query, tables, table)
    if (!ofTable.every(isPresent)) throw tableUnknown()
  }
}

export const tableUnknown = () => conflict(translatable('The request changed a table that no longer exists or that you may not read.'))

/**
 * For each record that the request changed, the last change by anyone else outside this transaction, under the key that
 * the request left. Changes of keys are rare and are read all at once, since no index contains the former keys. A
 * change back to the key before the request counts under that key.
 */
async function changedSince(query: Query, requestId: string, deletedTables: readonly string[]): Promise<LogEntry[]> {
  const isByOthers = `l.request_id is distinct from $1::text and l.xid is distinct from pg_catalog.pg_current_xact_id_if_assigned()`
  const entries = await query<LogEntry & { ownKey: string }>(
    `with own as materialized (select c.table_id, k.key, pg_catalog.max(c.id) as id from rowhouse.changes c cross join lateral (values (c.key), (c.old_key)) k (key)
       where c.request_id ${equal} $1::text and not c.table_id ${equal} any($2::uuid[]) and k.key is not null group by 1, 2),
     moved as materialized (select l.* from rowhouse.changes l where l.table_id ${equal} any(array(select distinct o.table_id from own o))
       and l.id operator(pg_catalog.>) (select pg_catalog.min(o.id) from own o) and l.old_key is not null and ${isByOthers}
       and not exists (select from rowhouse.changes r where r.table_id ${equal} l.table_id and ${isKey('r', 'l.old_key')} and r.request_id ${equal} $1::text and r.old_key ${equal} l.key))
     select ${entryColumns}, c.own_key as "ownKey" from (
       select o.key as own_key, l.* from own o cross join lateral (select * from rowhouse.changes l where l.table_id ${equal} o.table_id and ${isKey('l', 'o.key')}
         and l.id operator(pg_catalog.>) o.id and ${isByOthers} order by l.id desc limit 1) l
       union all select o.key, m.* from own o join moved m on m.table_id ${equal} o.table_id and m.old_key ${equal} o.key and m.id operator(pg_catalog.>) o.id) c
     order by c.id desc`,
    [requestId, arrayLiteral(deletedTables)],
  )
  const last = new Map<string, LogEntry>()
  for (const { ownKey, ...entry } of entries) {
    const record = recordOf({ ...entry, key: ownKey })
    if (!last.has(record)) last.set(record, { ...entry, key: ownKey })
  }
  return [...last.values()]
}

/**
 * Other records that this transaction has deleted or changed, such as those that link to a deleted one: the last change
 * of each before this transaction.
 * @param skipped records that the request changed and that the undo leaves unchanged (`recordOf`)
 */
const changedBeside = (query: Query, requestId: string, skipped: readonly string[]) =>
  query<LogEntry>(
    `with beside as (select distinct o.table_id, o.key from rowhouse.changes o where o.request_id ${equal} $2::text
       and o.operation ${equal} any('{update,delete}') and o.xid ${equal} pg_catalog.pg_current_xact_id_if_assigned()
       and (pg_catalog.concat(o.table_id, ' ', o.key) in (select pg_catalog.unnest($3::text[]))
         or (not exists (select from rowhouse.changes r where r.table_id ${equal} o.table_id and ${isKey('r', 'o.key')} and r.request_id ${equal} $1::text)
           and not exists (select from rowhouse.changes r where r.request_id ${equal} $1::text and r.table_id ${equal} o.table_id and r.old_key ${equal} o.key))))
     select ${entryColumns} from beside b cross join lateral (select * from rowhouse.changes l where l.table_id ${equal} b.table_id and ${isKey('l', 'b.key')}
       order by l.xid ${equal} pg_catalog.pg_current_xact_id_if_assigned(), l.id desc limit 1) c order by c.id desc`,
    [requestId, currentScope()?.origin?.requestId ?? null, arrayLiteral(skipped)],
  )

/** Leaves out records that an access rule may now hide. */
const listOf = (tables: Tables, entries: readonly LogEntry[]): ChangedSince[] =>
  entries
    .filter(({ tableId }) => !tables.byId.get(tableId)?.access)
    .slice(0, maxListed)
    .map((entry) => toChangedSince(tables, entry))

const toChangedSince = (tables: Tables, entry: LogEntry): ChangedSince => ({
  table: tables.byId.get(entry.tableId)?.name ?? '',
  tableId: entry.tableId,
  pk: writeKey(keyParts(entry.key)),
  at: entry.at,
  by: authorOf(entry),
})

const changedConflict = (count: number, listed: ChangedSince[]) =>
  conflict(translatable('{count} of the records have changed since. Nothing was undone.', { count }), {
    hint: translatable('To skip these records, send {parameter}.', { parameter: '?skipChanged=true' }),
    details: { count, changedSince: listed },
  })

/** Runs of changes of the same kind in one table. One statement undoes a run, so no record appears in it twice. */
function* groupsOf(entries: readonly LogEntry[], tables: Tables): Generator<LogEntry[]> {
  let group: LogEntry[] = []
  let keys = new Set<string>()
  for (const entry of entries) {
    const [first] = group
    const isLike =
      first && first.tableId === entry.tableId && first.operation === entry.operation && changedNames(first) === changedNames(entry)
    if (group.length && (!isLike || group.length === chunkSizeOf(tables, first!) || keys.has(entry.key))) {
      yield group
      group = []
      keys = new Set()
    }
    group.push(entry)
    keys.add(entry.key)
  }
  if (group.length) yield group
}

/** Records that link to each other are restored in one statement, at whose end links are checked. */
const chunkSizeOf = (tables: Tables, { tableId, operation }: LogEntry): number => {
  const { foreignKeys, schema, name } = tables.byId.get(tableId)!
  return operation === 'delete' && foreignKeys.some(({ target }) => target.schema === schema && target.name === name)
    ? maxChanges
    : chunkSize
}

const changedNames = ({ operation, oldValues }: LogEntry): string =>
  operation === 'update' ? Object.keys(JSON.parse(oldValues!) as object).join('\n') : ''

/** @returns the number of changed records */
async function undoGroup(undoing: Undoing, table: Table, group: LogEntry[]): Promise<number> {
  const { operation } = group[0]!
  if (operation === 'update') return changeBack(undoing, table, group)
  await (operation === 'insert' ? deleteAgain(undoing, table, group) : insertAgain(undoing, table, group))
  return group.length
}

async function deleteAgain({ executor: { query }, tables }: Undoing, table: Table, group: readonly LogEntry[]): Promise<void> {
  for (let start = 0; start < group.length; start += keysAtOnce) {
    const part = group.slice(start, start + keysAtOnce)
    const { condition } = planRead(tables, table, {
      ...everything,
      filters: [
        keyFilter(
          table,
          part.map(({ key }) => keyParts(key)),
        ),
      ],
    })
    const { count } = await deleteRows(query, { table, condition, returning: {} })
    // Missing rows were deleted together with others, for example by a cascade.
    if (count < part.length) await requireNone(query, table, part)
  }
}

/** @throws Failure forbidden if one of the records still exists: the access rules prevented its deletion */
async function requireNone(query: Query, table: Table, group: readonly LogEntry[]): Promise<void> {
  const [left] = await query(
    `select from pg_catalog.unnest($2::text[]) k (key) join rowhouse.changes c on c.table_id ${equal} $1::uuid and ${isKey('c', 'k.key')}
     where c.operation ${equal} 'insert' and not exists (select from rowhouse.changes l where l.table_id ${equal} $1::uuid and ${isKey('l', 'c.key')} and l.id operator(pg_catalog.>) c.id and l.operation ${equal} 'delete') limit 1`,
    [table.id, arrayLiteral(group.map(({ key }) => key))],
  )
  if (left) throw accessDenied(table, 'delete')
}

/** Stays below the maximum number of conditions of a query. */
const keysAtOnce = 50
const everything: RecordQuery = { select: [{ kind: 'all' }], filters: [], order: [], embedded: {} }

function keyFilter({ primaryKey }: Table, keys: readonly string[][]): Filter {
  const of = (name: string, value: string | string[], operator: 'eq' | 'in'): Filter => ({
    kind: 'condition',
    column: { name, steps: [] },
    isNegated: false,
    operator,
    value,
  })
  const [single] = primaryKey
  if (primaryKey.length === 1)
    return of(
      single!,
      keys.map(([part]) => part!),
      'in',
    )
  return {
    kind: 'or',
    isNegated: false,
    filters: keys.map((key) => ({ kind: 'and', isNegated: false, filters: key.map((part, index) => of(primaryKey[index]!, part, 'eq')) })),
  }
}

async function insertAgain(
  { executor, tables, userId, namesOf, coming }: Undoing,
  table: Table,
  group: readonly LogEntry[],
): Promise<void> {
  const isComing = (link: ForeignKey, values: Record<string, unknown>) => coming.has(targetOf(tables, link, values) ?? '')
  const { count } = await insertDeleted(executor, { table, columns: namesOf(table).all, userId, returning: {}, isComing }, group)
  if (count < group.length) throw accessDenied(table, 'create')
  await markRestored(executor.query, table.id, group)
}

/** 23505: unique violation; 23P01: exclusion violation. */
const takenStates = ['23505', '23P01']

/**
 * Writes all rows in one statement, in any order. If another record of the group must first release a unique value,
 * writes one record after another.
 */
async function changeBack(undoing: Undoing, table: Table, group: readonly LogEntry[]): Promise<number> {
  try {
    return await undoing.executor.transaction((executor) => changeTogether({ ...undoing, executor }, table, group))
  } catch (error) {
    if (group.length === 1 || !takenStates.includes(sqlState(error) ?? '')) throw error
    let count = 0
    for (const entry of group) count += await changeTogether(undoing, table, [entry])
    return count
  }
}

/** Lists of files are changed by other routes; no request body may set them. */
const isFilesColumn = ({ type, isWritable, access }: Column) => type === 'attachment' && isWritable && !access?.isReadOnly

/** @returns 0 if the changed columns are gone, or are set by the service at each change */
async function changeTogether(
  { executor: { query }, userId, namesOf }: Undoing,
  table: Table,
  group: readonly LogEntry[],
): Promise<number> {
  const isWanted = (column: Column) => isRestorable(column) || isFilesColumn(column) || table.primaryKey.includes(column.name)
  const changes = group.map(({ id, key, oldKey, oldValues }) => ({
    id,
    key,
    oldKey,
    values: valuesToday(oldValues, id, namesOf(table), isWanted),
  }))
  const names = Object.keys(changes[0]!.values).sort()
  if (names.length === 0) return 0
  const { all } = namesOf(table)
  for (const { id, values } of changes) requireLoggedForms(table, values, (column) => all.meantOther(column, id))
  const shape = updateEachShape({ table, names, userId, returning: { hasKey: true }, isShared: false })
  /** Returns the changes for whose key there is no record that the caller may change. */
  const write = async (list: typeof changes) => {
    const records = changeList(list.map(({ key, values }) => ({ key: keyParts(key), versions: null, json: JSON.stringify(values) })))
    const statement = bind(shape, { records, identities: '{}', origin: originText([currentScope()?.origin]) })
    const rows = await execute<{ place: number }>(query, table, statement)
    const places = new Set(rows.map((row) => row.place))
    return list.filter((_, index) => !places.has(index + 1))
  }
  const missing = await write(changes)
  // If the record that rows link to got its former key back, a cascade has already given the rows theirs.
  const former = missing.flatMap((change) => (change.oldKey === null ? [] : [{ ...change, key: change.oldKey }]))
  const isDenied = former.length < missing.length || (former.length > 0 && (await write(former)).length > 0)
  if (isDenied) throw accessDenied(table, 'update')
  return changes.length
}
