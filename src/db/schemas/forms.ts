import { bigint, boolean, index, jsonb, text, uuid } from 'drizzle-orm/pg-core'
import { rowhouse, timestampColumn } from '../schema'

// Public forms (docs/forms.md): what each asks for, and which proofs of work were used.

export const forms = rowhouse.table(
  'forms',
  {
    id: uuid('id').primaryKey(),
    /** As it stands in the address of the form. */
    name: text('name').notNull().unique(),
    /** No foreign key: the form of a table that is gone is closed, and can be deleted. */
    tableId: uuid('table_id').notNull(),
    enabled: boolean('enabled').notNull(),
    /** All else of the definition, with ids of columns. */
    settings: jsonb('settings').notNull(),
    opensAt: timestampColumn('opens_at'),
    closesAt: timestampColumn('closes_at'),
    maxSubmissions: bigint('max_submissions', { mode: 'number' }),
    /** How many records were made by it. Counted in the transaction of the record. */
    submissions: bigint('submissions', { mode: 'number' }).notNull().default(0),
    lastSubmissionAt: timestampColumn('last_submission_at'),
    createdAt: timestampColumn('created_at').notNull().defaultNow(),
    updatedAt: timestampColumn('updated_at').notNull().defaultNow(),
  },
  (table) => [index('forms_table').on(table.tableId)],
)

/** Challenges that were answered, until they expire: each is worth one submission. */
export const formProofs = rowhouse.table(
  'form_proofs',
  {
    hash: text('hash').primaryKey(),
    expiresAt: timestampColumn('expires_at').notNull(),
  },
  (table) => [index('form_proofs_expiry').on(table.expiresAt)],
)
