import { asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db, Executor } from '../db/pool/open'
import { forms } from '../db/schema/forms'
import type { FormField } from './model'

/** The parts of a definition that are not columns of its table. Columns are referred to by id. */
export type FormSettings = {
  title: string
  description?: string
  fields: FormField[]
  thanks?: string
  redirect?: string
  sites?: string[]
  budget?: string
}

export type FormRow = Omit<typeof forms.$inferSelect, 'settings'> & { settings: FormSettings }

export const listFormRows = async (db: Db): Promise<FormRow[]> => (await db.orm.select().from(forms).orderBy(asc(forms.name))) as FormRow[]

export const findFormRow = (orm: Pick<Db['orm'], 'select'>, name: string): Promise<FormRow | null> => findRow(orm, eq(forms.name, name))

export const findFormRowById = (orm: Pick<Db['orm'], 'select'>, id: string): Promise<FormRow | null> => findRow(orm, eq(forms.id, id))

async function findRow(orm: Pick<Db['orm'], 'select'>, condition: SQL): Promise<FormRow | null> {
  const [row] = await orm.select().from(forms).where(condition)
  return (row as FormRow | undefined) ?? null
}

/** Checks the form of a name in a URL before it is looked up. */
export const isFormName = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)

/**
 * Counts a submission, in the transaction of its record. Locks the row until that ends, so that instances together
 * never exceed the maximum.
 * @returns whether the form accepts one more
 */
export async function countSubmission({ query }: Executor, id: string): Promise<boolean> {
  const counted = await query(
    `update rowhouse.forms set submissions = submissions + 1, last_submission_at = pg_catalog.now()
    where id = $1::uuid and enabled and (max_submissions is null or submissions < max_submissions)
      and (opens_at is null or opens_at <= pg_catalog.now()) and (closes_at is null or closes_at > pg_catalog.now())
    returning id`,
    [id],
  )
  return counted.length > 0
}

export const touched = { updatedAt: sql`now()` }
