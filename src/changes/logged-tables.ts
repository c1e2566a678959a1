import { type AuditSource, recordAudit } from '../auth/audit/audit-log'
import { arrayLiteral } from '../db/arrays'
import type { Db, Query } from '../db/pool/open'
import { equal, withCatalogPath } from '../db/search-path'
import { conflict, Failure } from '../errors'
import { exactJson } from '../exact-json'
import { translatable } from '../messages/message'
import { hasKey } from '../records/query/sql/keys'
import type { Tables } from '../tables/catalog/catalog'
import { isStoredColumn } from '../tables/computed-value'
import { identifier, qualifiedName } from '../tables/ddl'
import { type Definitions, withSchemaLock } from '../tables/definitions/schema-lock'
import { areTablesLogged, everyTable, logTables } from '../tables/log/triggers'
import type { Column, Table } from '../tables/model'
import { type LogEntry, type LoggedColumns, type NamedColumns, valuesToday } from './log-entry'
import { recordOf } from './skipped-entries'

const isOffSql = `exists (select from rowhouse.logged_tables where table_id = '${everyTable}')`

/** Whether the log's global switch is set as requested and each table has the right triggers. */
export const isLogWhole = (db: Db, isOff: boolean): Promise<boolean> =>
  withCatalogPath(db, async (query) => {
    const [row] = await query<{ yes: boolean }>(`select ${isOffSql} as yes`)
    return row!.yes === isOff && (await areTablesLogged(query))
  })

/** Turns the log off for all tables, or on again for those that were logged before. Existing entries stay. */
export const setLogOfAllTables = (definitions: Definitions, isOff: boolean): Promise<void> =>
  withSchemaLock(definitions, async ({ query }) => {
    await query(
      isOff
        ? `insert into rowhouse.logged_tables (table_id, is_logged) values ('${everyTable}', false) on conflict do nothing`
        : `delete from rowhouse.logged_tables where table_id = '${everyTable}'`,
    )
  })

/** Other kinds of tables do not support statement triggers with transition tables. */
const loggableKinds: Table['kind'][] = ['table', 'partitionedTable']

/**
 * Turns the log of one table on or off. Existing entries stay.
 * @throws Failure conflict for a table that cannot be logged; forbidden if Rowhouse lacks the privilege
 */
export async function setLogOfTable(definitions: Definitions, table: Table, isLogged: boolean, source: AuditSource): Promise<void> {
  if (isLogged && (!loggableKinds.includes(table.kind) || table.primaryKey.length === 0)) {
    throw conflict(
      translatable('Changes of "{name}" cannot be logged: it is not an ordinary table, or has no primary key.', { name: table.name }),
    )
  }
  await withSchemaLock(definitions, async ({ query }) => {
    const names = table.isOwn || table.isJoinTable ? [null, null] : [table.schema, table.name]
    await query(
      `insert into rowhouse.logged_tables (table_id, is_logged, schema, name) values ($1::uuid, $2::boolean, $3::text, $4::text)
       on conflict (table_id) do update set is_logged = excluded.is_logged`,
      [table.id, String(isLogged), ...names],
    )
    if ((await logTables(query)).includes(table.id)) throw notAllowed(table, isLogged)
    await recordAudit({ query }, { ...source, kind: isLogged ? 'history_on' : 'history_off', result: 'ok', subjectId: table.id })
  })
}

const notAllowed = ({ name }: Table, isLogged: boolean) =>
  new Failure(
    'forbidden',
    isLogged
      ? translatable('The database does not let Rowhouse log the changes of "{name}".', { name })
      : translatable('The database does not let Rowhouse stop the log of "{name}".', { name }),
    {
      hint: isLogged
        ? translatable('Grant the role of DATABASE_URL the TRIGGER privilege on the table.')
        : translatable('The owner of the table can drop the triggers named rowhouse_log_… in the database.'),
    },
  )

/**
 * The state in which a request left a record, for the columns that it changed, and the request's last change of the
 * record.
 */
type StateLeft = { last: LogEntry; values: Record<string, unknown> }

/**
 * Finds the records that someone changed while the log of their table was off, after a request had changed them: their
 * values differ from those that the request left, although the log has no later change. Returns the request's last
 * change of each.
 * @param entries those of the request, latest first
 * @param changed the later changes in the log
 */
export async function changedUnlogged(
  query: Query,
  tables: Tables,
  namesOf: (table: Table) => NamedColumns,
  entries: readonly LogEntry[],
  changed: readonly LogEntry[],
): Promise<LogEntry[]> {
  const found: LogEntry[] = []
  const logged = new Set(changed.map(recordOf))
  for (const table of await tablesWithGap(query, tables, entries)) {
    const ofTable = entries.filter(({ tableId }) => tableId === table.id)
    const states = statesLeft(ofTable, namesOf(table).all).filter(({ last }) => !logged.has(recordOf(last)))
    const present = await presentValues(query, table, states)
    found.push(...states.filter(({ last, values }) => !isAsLeft(values, present.get(last.key))).map(({ last }) => last))
  }
  return found
}

/** Turning a log on, or a single trigger of it, rewrites its rows in `pg_trigger`. */
const gapStatement = `select k.id from rows from (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[]), pg_catalog.unnest($3::text[])) k (id, name, xid)
  where (select pg_catalog.bool_and(pg_catalog.age(t.xmin) operator(pg_catalog.>=) pg_catalog.age(k.xid::xid8::xid)) from pg_catalog.pg_trigger t
    where t.tgrelid ${equal} k.name::regclass::oid and pg_catalog.starts_with(t.tgname::text, 'rowhouse_log_')) is not true`

/** Tables whose log is off, or was at some time after these changes. */
async function tablesWithGap(query: Query, { byId }: Tables, entries: readonly LogEntry[]): Promise<Table[]> {
  const groups = [...Map.groupBy(entries, ({ tableId }) => tableId)]
  const names = groups.map(([id]) => qualifiedName(byId.get(id)!))
  const lists = [groups.map(([id]) => id), names, groups.map(([, ofTable]) => ofTable[0]!.xid)]
  const rows = await query<{ id: string }>(gapStatement, lists.map(arrayLiteral))
  return rows.map(({ id }) => byId.get(id)!)
}

/** Leaves out records that the request deleted, and keys that it replaced. @param entries latest first */
function statesLeft(entries: readonly LogEntry[], columns: LoggedColumns): StateLeft[] {
  const states = new Map<string, StateLeft | null>()
  for (const entry of entries) {
    const { id, key, oldKey, operation, newValues } = entry
    const state = states.get(key)
    const values = valuesToday(newValues, id, columns, isCompared)
    if (state) state.values = { ...values, ...state.values }
    else if (state === undefined) states.set(key, operation === 'delete' ? null : { last: entry, values })
    if (oldKey !== null && !states.has(oldKey)) states.set(oldKey, null)
  }
  return [...states.values()].filter((state) => state !== null)
}

/** Computed values also differ if their formula has changed. */
const isCompared = (column: Column): boolean => isStoredColumn(column) && column.isReadable && column.filledBy !== 'generated'

/** The records in the form of the log, by their keys in the log. */
async function presentValues(query: Query, table: Table, states: readonly StateLeft[]): Promise<Map<string, StateLeft['values']>> {
  const columns = table.columns.filter(isCompared).map(({ name }) => `t.${identifier(name)}`)
  const rows = await query<{ key: string; item: string }>(
    `select k.key, rowhouse.readable_json(pg_catalog.row_to_json(r.*))::text as item from pg_catalog.unnest($1::text[]) k (key)
     join ${qualifiedName(table)} t on ${hasKey(table, 't', 'k.key::json')} cross join lateral (select ${columns.join(', ')}) r`,
    [arrayLiteral(states.map(({ last }) => last.key))],
    { prepare: false },
  )
  return new Map(rows.map(({ key, item }) => [key, exactJson(item) as StateLeft['values']]))
}

const isAsLeft = (values: StateLeft['values'], present: StateLeft['values'] | undefined): boolean =>
  present !== undefined && Object.entries(values).every(([name, value]) => JSON.stringify(value) === JSON.stringify(present[name]))
