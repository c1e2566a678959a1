import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, jsonb, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { rowhouse, timestampColumn, users } from './tables'

// Who may see and change which records: groups of users, and the access document (docs/access.md). Triggers raise the
// catalog version with each change, so every instance reads them again at its next request.

export const groups = rowhouse.table('groups', {
  id: uuid('id').primaryKey(),
  /** Compared exactly; the access document refers to groups by name. */
  name: text('name').notNull().unique(),
  createdAt: timestampColumn('created_at').notNull().defaultNow(),
})

export const groupMembers = rowhouse.table(
  'group_members',
  {
    groupId: uuid('group_id')
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.groupId, table.userId] }), index('group_members_user').on(table.userId)],
)

/** One row. `rules` is the document's list as an administrator sent it, with ids beside the names. */
export const accessDocument = rowhouse.table(
  'access_document',
  {
    one: boolean('one').primaryKey().default(true),
    rules: jsonb('rules').notNull(),
    /** Raised with each change; the ETag of the document. */
    version: bigint('version', { mode: 'number' }).notNull(),
    updatedAt: timestampColumn('updated_at').notNull().defaultNow(),
    /** No foreign key: the document outlives its author. */
    updatedBy: uuid('updated_by'),
  },
  (table) => [check('access_document_one', sql`${table.one}`)],
)

/** The lines that each change removed from the document and added to it. The audit log refers to them by id. */
export const accessChanges = rowhouse.table(
  'access_changes',
  {
    id: uuid('id').primaryKey(),
    at: timestampColumn('at').notNull().defaultNow(),
    /** No foreign key: the change outlives its author. */
    userId: uuid('user_id'),
    version: bigint('version', { mode: 'number' }).notNull(),
    removed: jsonb('removed').notNull(),
    added: jsonb('added').notNull(),
    /** `{from, to}` if the document followed the new name of a table, a column or a group. */
    renamed: jsonb('renamed'),
  },
  (table) => [index('access_changes_at').on(table.at)],
)
