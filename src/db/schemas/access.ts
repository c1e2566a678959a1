import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, jsonb, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { rowhouse, timestampColumn, users } from '../schema'

// Who may see and change which records: groups of users, and the access document (docs/access.md). Triggers raise the
// version of the catalogue with each change, so the next request on every instance reads them again.

export const groups = rowhouse.table('groups', {
  id: uuid('id').primaryKey(),
  /** Compared as it is; the access document names groups by it. */
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
    /** No foreign key: the document outlives who wrote it. */
    updatedBy: uuid('updated_by'),
  },
  (table) => [check('access_document_one', sql`${table.one}`)],
)

/** What each change took out of the document and put into it, as lists of lines. The audit log names them by id. */
export const accessChanges = rowhouse.table(
  'access_changes',
  {
    id: uuid('id').primaryKey(),
    at: timestampColumn('at').notNull().defaultNow(),
    /** No foreign key: it outlives who made it. */
    userId: uuid('user_id'),
    version: bigint('version', { mode: 'number' }).notNull(),
    removed: jsonb('removed').notNull(),
    added: jsonb('added').notNull(),
    /** `{from, to}` where the document followed another name of a table, a column or a group. */
    renamed: jsonb('renamed'),
  },
  (table) => [index('access_changes_at').on(table.at)],
)
