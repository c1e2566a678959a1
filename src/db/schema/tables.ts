import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  json,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

/** Rowhouse's own tables. The users' tables are real tables in the schema `data` and are not described here. */
export const rowhouse = pgSchema('rowhouse')

export const timestampColumn = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 })
const createdAt = () => timestampColumn('created_at').notNull().defaultNow()

export const users = rowhouse.table(
  'users',
  {
    id: uuid('id').primaryKey(),
    /** Trimmed and lower-case (SEC-05). */
    email: text('email').notNull().unique(),
    name: text('name').notNull(),
    role: text('role', { enum: ['admin', 'editor', 'viewer'] }).notNull(),
    /** PHC string of argon2id; null while the user is only invited. */
    passwordHash: text('password_hash'),
    disabledAt: timestampColumn('disabled_at'),
    lastLoginAt: timestampColumn('last_login_at'),
    createdAt: createdAt(),
    /** `service` for the owner of an automation's tokens, without a password, an invitation or a session. */
    kind: text('kind', { enum: ['person', 'service'] })
      .notNull()
      .default('person'),
  },
  (table) => [
    check('users_role', sql`${table.role} in ('admin', 'editor', 'viewer')`),
    check('users_kind', sql`${table.kind} in ('person', 'service')`),
  ],
)

export const sessions = rowhouse.table(
  'sessions',
  {
    id: uuid('id').primaryKey(),
    /** SHA-256 of the cookie's value in base64url; the value itself is never stored (SEC-27). */
    secretHash: text('secret_hash').notNull().unique(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    lastSeenAt: timestampColumn('last_seen_at').notNull().defaultNow(),
    expiresAt: timestampColumn('expires_at').notNull(),
    address: text('address').notNull(),
    agent: text('agent').notNull(),
    /** An administrator views the service as this user, read-only (docs/access.md). */
    viewedUserId: uuid('viewed_user_id').references(() => users.id, { onDelete: 'cascade' }),
  },
  (table) => [index('sessions_user').on(table.userId), index('sessions_expiry').on(table.expiresAt)],
)

export const tokens = rowhouse.table(
  'tokens',
  {
    id: uuid('id').primaryKey(),
    /** SHA-256 of the token as it was sent, in base64url (SEC-41). */
    secretHash: text('secret_hash').notNull().unique(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The token that created this one, and whose end also ends this one (SEC-47). */
    parentId: uuid('parent_id').references((): AnyPgColumn => tokens.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    scope: text('scope', { enum: ['read', 'write', 'full'] }).notNull(),
    /** Ids of the only tables that the token may access; null for all. */
    tables: uuid('tables').array(),
    expiresAt: timestampColumn('expires_at'),
    createdAt: createdAt(),
    lastUsedAt: timestampColumn('last_used_at'),
    lastUsedInUrlAt: timestampColumn('last_used_in_url_at'),
  },
  (table) => [
    index('tokens_user').on(table.userId),
    index('tokens_parent').on(table.parentId),
    check('tokens_scope', sql`${table.scope} in ('read', 'write', 'full')`),
  ],
)

/** Holds one row, for good, once the first administrator exists: its key lets only one caller win (SEC-67). */
export const setup = rowhouse.table(
  'setup',
  { done: boolean('done').primaryKey().default(true), completedAt: timestampColumn('completed_at').notNull().defaultNow() },
  (table) => [check('setup_once', sql`${table.done}`)],
)

/** SHA-256 of the codes that may claim this database: one per instance that started before setup was completed. */
export const setupCodes = rowhouse.table('setup_codes', { codeHash: text('code_hash').primaryKey(), createdAt: createdAt() })

/** A link that lets a user choose a password, once and for 72 hours. */
export const invites = rowhouse.table('invites', {
  id: uuid('id').primaryKey(),
  userId: uuid('user_id')
    .notNull()
    .unique()
    .references(() => users.id, { onDelete: 'cascade' }),
  secretHash: text('secret_hash').notNull().unique(),
  createdAt: createdAt(),
  expiresAt: timestampColumn('expires_at').notNull(),
})

/**
 * Failed and unfinished attempts to guess a secret; `rowhouse.begin_attempt` bases its decision on them. The keys are
 * HMACs.
 */
export const authThrottle = rowhouse.table(
  'auth_throttle',
  {
    id: uuid('id').primaryKey(),
    accountAddress: text('account_address').notNull(),
    address: text('address').notNull(),
    account: text('account').notNull(),
    isPending: boolean('is_pending').notNull().default(true),
    /**
     * Made while the IP or the account was blocked, from an IP where the account had signed in before: counts only for
     * the account at this IP.
     */
    isExempt: boolean('is_exempt').notNull().default(false),
    at: timestamp('at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    index('auth_throttle_account_address').on(table.accountAddress, table.at),
    index('auth_throttle_address').on(table.address, table.at),
    index('auth_throttle_account').on(table.account, table.at),
  ],
)

/** Where an account has signed in before: an attack from elsewhere does not lock it out there (SEC-22). */
export const authKnownAddresses = rowhouse.table('auth_known_addresses', {
  accountAddress: text('account_address').primaryKey(),
  lastSuccessAt: timestamp('last_success_at', { withTimezone: true }).notNull().defaultNow(),
})

/**
 * Counted calls, for `rowhouse.take_from_budget`: those of the current period, and those of the previous one, whose
 * weight falls as the current one passes. The keys are HMACs.
 */
export const budgets = rowhouse.table(
  'budgets',
  {
    key: text('key').primaryKey(),
    /** The number of the current period, counted since 1970. */
    periodNumber: bigint('period_number', { mode: 'number' }).notNull(),
    used: integer('used').notNull(),
    usedBefore: integer('used_before').notNull(),
    /** The row has no meaning after this. */
    expiresAt: timestampColumn('expires_at').notNull(),
  },
  (table) => [index('budgets_expiry').on(table.expiresAt)],
)

/** The key of the HMACs above: one random value for all instances. */
export const authSecret = rowhouse.table(
  'auth_secret',
  { one: boolean('one').primaryKey().default(true), secret: text('secret').notNull() },
  (table) => [check('auth_secret_one', sql`${table.one}`)],
)

/**
 * Who did what (SEC-70). No foreign keys: an entry outlives its subjects. A stranger can repeat failed actions at will,
 * so `rowhouse.record_audit` folds them: one row per hour for equal ones, with a count.
 */
export const audit = rowhouse.table(
  'audit',
  {
    id: uuid('id').primaryKey(),
    at: timestampColumn('at').notNull().defaultNow(),
    kind: text('kind').notNull(),
    result: text('result', { enum: ['ok', 'failed', 'throttled', 'refused'] }).notNull(),
    actorId: uuid('actor_id'),
    credential: text('credential', { enum: ['cookie', 'bearer', 'query', 'none', 'command'] }).notNull(),
    credentialId: uuid('credential_id'),
    subjectId: uuid('subject_id'),
    address: text('address').notNull(),
    count: integer('count').notNull().default(1),
    /** When the last action was folded into this row; null if there is only one. */
    lastAt: timestampColumn('last_at'),
    /** For a change of a group, the members added and removed: `{added, removed, addedCount, removedCount}`. */
    members: jsonb('members'),
    foldedHour: timestampColumn('folded_hour'),
    foldKey: text('fold_key'),
  },
  (table) => [
    uniqueIndex('audit_folded').on(table.foldedHour, table.foldKey).where(sql`${table.foldKey} is not null`),
    index('audit_at').on(table.at),
    index('audit_actor').on(table.actorId, table.id),
    index('audit_kind').on(table.kind, table.id),
  ],
)

export const tables = rowhouse.table('tables', {
  id: uuid('id').primaryKey(),
  /** The real name of the table in the schema `data`. */
  name: text('name').notNull().unique(),
  createdAt: createdAt(),
  /** The column that names a record in links to it; null for the first text column. It may have been deleted. */
  displayColumnId: uuid('display_column_id'),
  /** The heading under which the sidebar lists the table; null for none. */
  section: text('section'),
  /** Its place among the tables of its section; null, after all numbers, until one of them is moved. */
  position: integer('position'),
  /** Whether its records have an index for the search (docs/tables.md). */
  isSearchIndexed: boolean('is_search_indexed').notNull().default(false),
})

export const columns = rowhouse.table(
  'columns',
  {
    id: uuid('id').primaryKey(),
    tableId: uuid('table_id')
      .notNull()
      .references(() => tables.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    type: text('type').notNull(),
    required: boolean('required').notNull(),
    isUnique: boolean('is_unique').notNull(),
    default: jsonb('default'),
    options: jsonb('options').notNull(),
    position: integer('position').notNull(),
    /** Position in the primary key, from 0; null for other columns. */
    keyPosition: integer('key_position'),
    /** For `manyLinks`, the table in `data` with the values: {name, ownColumns, targetColumns, targetType}. */
    joinTable: jsonb('join_table'),
  },
  (table) => [unique('columns_name').on(table.tableId, table.name)],
)

/** A user's view settings of a table. The table may not be Rowhouse's own, so nothing refers to `rowhouse.tables`. */
export const tableViews = rowhouse.table(
  'table_views',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    tableId: uuid('table_id').notNull(),
    /** A JSON object as the client sent it; Rowhouse does not read it. */
    settings: json('settings').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.tableId] }), index('table_views_table').on(table.tableId)],
)

/** Views with a name, a user's own or for everyone (docs/tables.md). */
export const namedViews = rowhouse.table(
  'named_views',
  {
    id: uuid('id').primaryKey(),
    tableId: uuid('table_id').notNull(),
    /** Null for a view for everyone. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** `Arrangement` of tables/views/model.ts. */
    settings: json('settings').notNull(),
    /** Rises with each change of the settings. */
    version: integer('version').notNull().default(1),
  },
  (table) => [
    unique('named_views_name').on(table.userId, table.tableId, table.name).nullsNotDistinct(),
    index('named_views_table').on(table.tableId),
  ],
)

/**
 * Counts changes of the catalog, together with `catalogChanges`. Every DDL transaction of Rowhouse raises it, so its
 * row also serialises them. `fingerprint` is that of PostgreSQL's own catalog at the last comparison
 * (tables/catalog/watch.ts).
 */
export const catalogVersion = rowhouse.table(
  'catalog_version',
  {
    one: boolean('one').primaryKey().default(true),
    version: bigint('version', { mode: 'number' }).notNull(),
    fingerprint: text('fingerprint'),
  },
  (table) => [check('catalog_version_one', sql`${table.one}`)],
)

/**
 * A row for every transaction outside of Rowhouse that changed definitions, written by an event trigger
 * (db/schema/change-trigger.ts). Added rows block nobody, as the one row of `catalogVersion` would; from time to time
 * they are counted into it and deleted.
 */
export const catalogChanges = rowhouse.table('catalog_changes', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
})

/** Files in cells of records. A row is written only once the bytes are safe and a cell names them. */
export const files = rowhouse.table(
  'files',
  {
    /** Also the name of the bytes in storage (SEC-56). */
    id: uuid('id').primaryKey(),
    /** No foreign keys: the bytes outlive their table and column until they are swept. */
    tableId: uuid('table_id').notNull(),
    columnId: uuid('column_id').notNull(),
    name: text('name').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** Detected from the bytes (SEC-54). */
    type: text('type').notNull(),
    /** Hash of the bytes, in base64url. */
    sha256: text('sha256').notNull(),
    /** In pixels, as displayed. */
    width: integer('width'),
    height: integer('height'),
    createdAt: createdAt(),
    /** No foreign key: a file outlives its creator. */
    createdBy: uuid('created_by').notNull(),
    /** The time since which no cell has named it. */
    removedAt: timestampColumn('removed_at'),
  },
  (table) => [index('files_column').on(table.columnId), index('files_removed').on(table.removedAt).where(sql`removed_at is not null`)],
)

/** Bytes in storage, or being uploaded, without a row in `files`: uploads in progress and swept files. */
export const looseFiles = rowhouse.table(
  'loose_files',
  {
    id: uuid('id').primaryKey(),
    /** The bytes may be deleted after this; an upload in progress keeps extending it. */
    expiresAt: timestampColumn('expires_at').notNull(),
  },
  (table) => [index('loose_files_expiry').on(table.expiresAt)],
)

/**
 * The storage that holds this database's files: one row once an instance has started. The storage holds the same id.
 */
export const storage = rowhouse.table(
  'storage',
  {
    one: boolean('one').primaryKey().default(true),
    id: uuid('id').notNull(),
    /** For the operator: the name of the folder or the bucket when it was claimed. */
    place: text('place').notNull(),
    /** Null until the storage also holds the id. */
    claimedAt: timestampColumn('claimed_at'),
    /** The id of the storage that the files were moved from; instances that still use it may read from it. */
    movedFrom: uuid('moved_from'),
    /** For a move in progress: the id in the new storage, and the name of that storage. */
    targetId: uuid('target_id'),
    targetPlace: text('target_place'),
  },
  (table) => [check('storage_one', sql`${table.one}`)],
)

/** The files that a move in progress has begun to copy to the new storage. */
export const movedFiles = rowhouse.table(
  'moved_files',
  {
    /** No foreign key: a file that was swept meanwhile must also be removed there. */
    fileId: uuid('file_id').primaryKey(),
    /** When bytes that equal the uploaded ones were last seen there. */
    verifiedAt: timestampColumn('verified_at'),
    /** Why it cannot be copied: its bytes in the old storage are missing or altered. */
    fault: text('fault'),
  },
  (table) => [check('moved_files_fault', sql`${table.fault} in ('missing', 'altered')`)],
)

/** The origin of a document that was stored in a cell. */
export const documents = rowhouse.table('documents', {
  /** Refers to `files`; no foreign key, because a file's row is deleted with its bytes. */
  fileId: uuid('file_id').primaryKey(),
  plugin: text('plugin').notNull(),
  template: text('template').notNull(),
  format: text('format').notNull(),
  /** SHA-256 of all files of the template, in hex. */
  templateHash: text('template_hash').notNull(),
  /** The version of the record just before the document was stored in it. */
  recordVersion: text('record_version').notNull(),
  createdAt: createdAt(),
  /** No foreign key; null for an anonymous caller, who can only use a public template. */
  createdBy: uuid('created_by'),
})
