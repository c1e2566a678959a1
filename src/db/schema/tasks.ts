import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, json, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { rowhouse, timestampColumn, users } from './tables'

// Work that the service does for a user and keeps a record of: exports, imports, backups, keyed requests.

/** The outcome of an export, which its owner can query for a day. */
export const exports = rowhouse.table(
  'exports',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    tableId: uuid('table_id').notNull(),
    state: text('state', { enum: ['running', 'complete', 'failed', 'cancelled'] })
      .notNull()
      .default('running'),
    rows: bigint('rows', { mode: 'number' }),
    bytes: bigint('bytes', { mode: 'number' }),
    /** Hash of exactly the bytes of the body, in hex; only if it was sent completely. */
    sha256: text('sha256'),
    startedAt: timestampColumn('started_at').notNull().defaultNow(),
    finishedAt: timestampColumn('finished_at'),
  },
  (table) => [
    index('exports_started').on(table.startedAt),
    check('exports_state', sql`${table.state} in ('running', 'complete', 'failed', 'cancelled')`),
  ],
)

/** Imports that continue after their request. Kept for a day; the instance that runs one renews `seenAt`. */
export const imports = rowhouse.table(
  'imports',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null for a table that the import creates, until it exists. */
    tableId: uuid('table_id'),
    state: text('state', { enum: ['queued', 'running', 'complete', 'failed', 'cancelled'] })
      .notNull()
      .default('running'),
    /** Null until the records of the file have been counted. */
    rows: bigint('rows', { mode: 'number' }),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    /**
     * The body of the response that a request without `Prefer: respond-async` gets; written in the transaction of the
     * import.
     */
    result: text('result'),
    /** The body of the error, if the import failed. */
    problem: text('problem'),
    startedAt: timestampColumn('started_at').notNull().defaultNow(),
    seenAt: timestampColumn('seen_at').notNull().defaultNow(),
    finishedAt: timestampColumn('finished_at'),
  },
  (table) => [
    index('imports_started').on(table.startedAt),
    check('imports_state', sql`${table.state} in ('queued', 'running', 'complete', 'failed', 'cancelled')`),
  ],
)

/** Finished backups, requested by anyone. The file is the backup; a row holds the outcome. */
export const backups = rowhouse.table(
  'backups',
  {
    id: uuid('id').primaryKey(),
    /** `unproven`: it was written, but a trial restore failed. `failed`: there is no file. */
    state: text('state', { enum: ['proven', 'unproven', 'failed'] }).notNull(),
    origin: text('origin', { enum: ['schedule', 'request', 'command'] }).notNull(),
    requestedBy: uuid('requested_by').references(() => users.id, { onDelete: 'set null' }),
    /** The full path of the file; null if there is none. */
    place: text('place'),
    bytes: bigint('bytes', { mode: 'number' }),
    /** Figures about its contents, as in its last entry (`backup/archive/manifest.ts`). */
    contents: json('contents'),
    /** Why it is not proven. */
    problem: text('problem'),
    startedAt: timestampColumn('started_at').notNull(),
    finishedAt: timestampColumn('finished_at').notNull().defaultNow(),
  },
  (table) => [
    index('backups_finished').on(table.finishedAt),
    check('backups_state', sql`${table.state} in ('proven', 'unproven', 'failed')`),
    check('backups_origin', sql`${table.origin} in ('schedule', 'request', 'command')`),
  ],
)

/** Responses to writes that carry an Idempotency-Key; recorded in the transaction of the write itself. */
export const idempotencyKeys = rowhouse.table(
  'idempotency_keys',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    /** SHA-256 of the request's contents, in hex. */
    fingerprint: text('fingerprint').notNull(),
    status: integer('status').notNull(),
    /** Names and values, in a JSON array of pairs. */
    headers: text('headers').notNull(),
    body: text('body').notNull(),
    createdAt: timestampColumn('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.key] }), index('idempotency_keys_created').on(table.createdAt)],
)
