import { bigint, boolean, index, jsonb, text, uuid } from 'drizzle-orm/pg-core'
import { rowhouse, timestampColumn } from './tables'

// Public forms (docs/forms.md): the fields of each, and which proofs of work were used.

export const forms = rowhouse.table(
  'forms',
  {
    id: uuid('id').primaryKey(),
    /** The form's name in its URL. */
    name: text('name').notNull().unique(),
    /** No foreign key: the form of a deleted table is closed, and can be deleted. */
    tableId: uuid('table_id').notNull(),
    enabled: boolean('enabled').notNull(),
    /** The rest of the definition, with ids of columns. */
    settings: jsonb('settings').notNull(),
    opensAt: timestampColumn('opens_at'),
    closesAt: timestampColumn('closes_at'),
    maxSubmissions: bigint('max_submissions', { mode: 'number' }),
    /** The number of records it created. Counted in the transaction of the record. */
    submissions: bigint('submissions', { mode: 'number' }).notNull().default(0),
    lastSubmissionAt: timestampColumn('last_submission_at'),
    createdAt: timestampColumn('created_at').notNull().defaultNow(),
    updatedAt: timestampColumn('updated_at').notNull().defaultNow(),
  },
  (table) => [index('forms_table').on(table.tableId)],
)

/** Answered challenges, until they expire: each is worth one submission. */
export const formProofs = rowhouse.table(
  'form_proofs',
  {
    hash: text('hash').primaryKey(),
    expiresAt: timestampColumn('expires_at').notNull(),
  },
  (table) => [index('form_proofs_expiry').on(table.expiresAt)],
)
