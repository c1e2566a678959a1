import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, text, uuid } from 'drizzle-orm/pg-core'
import { rowhouse, timestampColumn, users } from './tables'

/**
 * Links by which a visitor without an account reads one thing, with the rights that the link's issuer has at each
 * opening.
 */
export const shareLinks = rowhouse.table(
  'share_links',
  {
    id: uuid('id').primaryKey(),
    /** SHA-256 of the secret in the link's URL, in base64url; the secret itself is never stored. */
    secretHash: text('secret_hash').notNull().unique(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The API token that created it. No foreign key: a link whose token is gone is closed, and still listed. */
    tokenId: uuid('token_id'),
    kind: text('kind', { enum: ['record', 'list', 'file', 'document'] }).notNull(),
    /** No foreign keys here either: the target of a link may be deleted. */
    tableId: uuid('table_id'),
    /** The primary key as in the URL of the record. */
    recordKey: text('record_key'),
    /** The change in the log up to which the link's record has the key; null if not known yet. */
    lastChange: bigint('last_change', { mode: 'bigint' }),
    columnId: uuid('column_id'),
    fileId: uuid('file_id'),
    /** For a record or a list: a query string in the grammar of the records route. */
    query: text('query'),
    /** `{plugin, template, format, params}` */
    document: jsonb('document'),
    /** PHC string of argon2id; null without a password. */
    passwordHash: text('password_hash'),
    maxOpens: integer('max_opens'),
    opens: integer('opens').notNull().default(0),
    lastOpenedAt: timestampColumn('last_opened_at'),
    expiresAt: timestampColumn('expires_at'),
    revokedAt: timestampColumn('revoked_at'),
    createdAt: timestampColumn('created_at').notNull().defaultNow(),
  },
  (table) => [
    check('share_links_kind', sql`${table.kind} in ('record', 'list', 'file', 'document')`),
    index('share_links_user').on(table.userId, table.id),
    index('share_links_record').on(table.tableId, table.recordKey),
  ],
)
