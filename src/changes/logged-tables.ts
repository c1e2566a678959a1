import { type AuditSource, recordAudit } from '../auth/audit/audit-log'
import type { Db } from '../db/open'
import { withCatalogPath } from '../db/search-path'
import { conflict, Failure } from '../errors'
import { translatable } from '../messages/message'
import { type Definitions, withSchemaLock } from '../tables/definitions/schema-lock'
import { areTablesLogged, everyTable, logTables } from '../tables/log/triggers'
import type { Table } from '../tables/model'

const isOffSql = `exists (select from rowhouse.logged_tables where table_id = '${everyTable}')`

/** Whether the log is off for all tables or not, as asked, and each table has the triggers that it should have. */
export const isLogWhole = (db: Db, isOff: boolean): Promise<boolean> =>
  withCatalogPath(db, async (query) => {
    const [row] = await query<{ yes: boolean }>(`select ${isOffSql} as yes`)
    return row!.yes === isOff && (await areTablesLogged(query))
  })

/** Turns the log of all tables off, or on again for those that were logged before. What was logged stays. */
export const setLogOfAllTables = (definitions: Definitions, isOff: boolean): Promise<void> =>
  withSchemaLock(definitions, async ({ query }) => {
    await query(
      isOff
        ? `insert into rowhouse.logged_tables (table_id, is_logged) values ('${everyTable}', false) on conflict do nothing`
        : `delete from rowhouse.logged_tables where table_id = '${everyTable}'`,
    )
  })

/** The others have no triggers for statements with transition tables. */
const loggableKinds: Table['kind'][] = ['table', 'partitionedTable']

/**
 * Logs the changes of a table, or no longer. What was logged stays.
 * @throws Failure conflict for a table that cannot be logged; forbidden where the database does not let Rowhouse
 */
export async function setLogOfTable(definitions: Definitions, table: Table, isLogged: boolean, source: AuditSource): Promise<void> {
  if (isLogged && (!loggableKinds.includes(table.kind) || table.primaryKey.length === 0)) {
    throw conflict(
      translatable('Changes of "{name}" cannot be logged: it is no table of its own, or has no primary key.', { name: table.name }),
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
  })
  await recordAudit(definitions.db, { kind: isLogged ? 'history_on' : 'history_off', result: 'ok', subjectId: table.id, ...source })
}

const notAllowed = ({ name }: Table, isLogged: boolean) =>
  new Failure(
    'forbidden',
    isLogged
      ? translatable('The database does not let Rowhouse log the changes of "{name}".', { name })
      : translatable('The database does not let Rowhouse stop the log of "{name}".', { name }),
    {
      hint: isLogged
        ? translatable('Grant the role of DATABASE_URL the right TRIGGER on the table, in the database.')
        : translatable('Its owner can drop the triggers named rowhouse_log_…, in the database.'),
    },
  )
