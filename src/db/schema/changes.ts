import { sql } from 'drizzle-orm'
import { bigint, boolean, check, customType, index, json, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { rowhouse, timestampColumn } from './tables'

// The change log (docs/history.md). `rowhouse.log_changes` writes it, a trigger on each logged table.

/** Compared byte by byte, whatever the collation of the database: keys are searched by prefix. */
const byteText = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

const xid8 = customType<{ data: string }>({ dataType: () => 'xid8' })

/** A change of one row. Partitioned by day, by a migration that drizzle-kit did not generate (migrations/). */
export const changes = rowhouse.table(
  'changes',
  {
    /** Rises within one transaction and within one record; otherwise the order is arbitrary. */
    id: bigint('id', { mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    /** When the transaction began. */
    at: timestampColumn('at').notNull().defaultNow(),
    xid: xid8('xid').notNull().default(sql`pg_catalog.pg_current_xact_id()`),
    /** The table's id in the API; no foreign key, because the log outlives tables. */
    tableId: uuid('table_id').notNull(),
    operation: text('operation', { enum: ['insert', 'update', 'delete', 'truncate'] }).notNull(),
    /** The parts of the key as texts, in a JSON array as PostgreSQL writes it; `[]` for truncate. */
    key: byteText('key').notNull(),
    /** The previous key, if the change altered the key. */
    oldKey: byteText('old_key'),
    /** By the column names of that time: all columns of a deleted row, the changed ones of an updated row. */
    oldValues: json('old_values'),
    /** All columns of a new row, the changed ones of an updated row. */
    newValues: json('new_values'),
    /** The id of the deletion that a restore or an undo reversed by inserting the record again. */
    restores: bigint('restores', { mode: 'bigint' }),
    userId: uuid('user_id'),
    credential: text('credential', { enum: ['session', 'token', 'link', 'form'] }),
    credentialId: uuid('credential_id'),
    plugin: text('plugin'),
    requestId: text('request_id'),
    /** The database role of a change made outside of Rowhouse, such as in psql. */
    role: text('role'),
  },
  (table) => [
    primaryKey({ columns: [table.tableId, table.id, table.at] }),
    // Only the beginning of a key: an index entry has at most 2,704 bytes, and no write may fail because of a long key.
    index('changes_key').on(table.tableId, sql`pg_catalog.left(key, 200)`, table.id),
    index('changes_request').on(table.requestId),
    index('changes_xid').on(table.xid),
    index('changes_trash').on(table.tableId, table.id).where(sql`operation = 'delete'`),
    check('changes_operation', sql`${table.operation} in ('insert', 'update', 'delete', 'truncate')`),
  ],
)

/** Whether a table's changes are logged, if that differs from the default of its kind. A nil id means all tables. */
export const loggedTables = rowhouse.table('logged_tables', {
  tableId: uuid('table_id').primaryKey(),
  isLogged: boolean('is_logged').notNull(),
  /** For a table that Rowhouse did not create. */
  schema: text('schema'),
  name: text('name'),
})

/**
 * Former names of columns: a change logged before `until` uses the former name. If the column kept that name, the
 * meaning of its values has changed since.
 */
export const columnNames = rowhouse.table(
  'column_names',
  {
    tableId: uuid('table_id').notNull(),
    columnId: uuid('column_id').notNull(),
    name: text('name').notNull(),
    /** An id between those of the changes before and after. */
    until: bigint('until', { mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.tableId, table.name, table.until] })],
)

/** One row; see `rowhouse.log_epoch`. */
export const logEpoch = rowhouse.table(
  'log_epochs',
  {
    one: boolean('one').primaryKey().default(true),
    epoch: bigint('epoch', { mode: 'bigint' }).notNull(),
    /** Earlier changes were made on another server. */
    firstId: bigint('first_id', { mode: 'bigint' }).notNull(),
    /** The greatest transaction id among those changes. */
    formerXid: xid8('former_xid').notNull(),
  },
  (table) => [check('log_epochs_one', sql`${table.one}`)],
)
