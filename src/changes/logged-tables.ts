import { type AuditSource, recordAudit } from '../auth/audit/audit-log'
import type { Db } from '../db/pool/open'
import { withCatalogPath } from '../db/search-path'
import { conflict, Failure } from '../errors'
import { translatable } from '../messages/message'
import { type Definitions, withSchemaLock } from '../tables/definitions/schema-lock'
import { areTablesLogged, everyTable, logTables } from '../tables/log/triggers'
import type { Table } from '../tables/model'

const isOffSql = `exists (select from rowhouse.logged_tables where table_id = '${everyTable}')`

/** Whether the log's global switch is as requested, and each table has the right triggers. */
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

/** Other kinds have no statement triggers with transition tables. */
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
        ? translatable('Grant the role of DATABASE_URL the TRIGGER privilege on the table.')
        : translatable('The owner of the table can drop the triggers named rowhouse_log_… in the database.'),
    },
  )
