import { index, integer, text, unique, uuid } from 'drizzle-orm/pg-core'
import { rowhouse, timestampColumn, users } from './tables'

// Why requests with a credential of this database were rejected, for the owner of the credential.

/** Rejections for the same reason within a minute share a row. */
export const refusals = rowhouse.table(
  'refusals',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** A token or a session. No foreign key: the reasons outlive it. */
    credentialId: uuid('credential_id').notNull(),
    minute: timestampColumn('minute').notNull(),
    /** A hash of the method and of all later columns except the times and the requests. */
    foldKey: text('fold_key').notNull(),
    method: text('method').notNull(),
    /** The pattern of the route, never the URL. */
    route: text('route'),
    status: integer('status').notNull(),
    code: text('code'),
    reason: text('reason').notNull(),
    detail: text('detail'),
    at: timestampColumn('at').notNull(),
    lastAt: timestampColumn('last_at').notNull(),
    count: integer('count').notNull(),
    /** The latest requests, newest first. */
    requestIds: text('request_ids').array().notNull(),
  },
  (table) => [
    unique('refusals_fold').on(table.credentialId, table.minute, table.foldKey),
    index('refusals_credential').on(table.credentialId, table.id),
    index('refusals_user').on(table.userId),
    index('refusals_end').on(table.lastAt),
  ],
)

/** Deleted tokens, so that a script that still sends one can be told from a stranger. A trigger writes it. */
export const revokedTokens = rowhouse.table(
  'revoked_tokens',
  {
    secretHash: text('secret_hash').primaryKey(),
    tokenId: uuid('token_id').notNull().unique(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    revokedAt: timestampColumn('revoked_at').notNull().defaultNow(),
  },
  (table) => [index('revoked_tokens_user').on(table.userId), index('revoked_tokens_end').on(table.revokedAt)],
)
