import { eq } from 'drizzle-orm'
import { toUser } from '../auth/accounts/accounts'
import { type AuditSource, recordChange } from '../auth/audit/audit-log'
import type { Actor } from '../auth/identity/actor'
import type { Tx } from '../db/open'
import { users } from '../db/schema'
import type { Deps } from '../deps'

/** Of the service user that writes what forms bring: the same in every database, so that no two are ever made. */
export const formsUserId = '00000000-0000-7000-8000-00000000f0f0'
const email = 'forms@service.invalid'

/** Makes the service user where it is not there: with the first form, and with the next one after it was deleted. */
export async function ensureFormsUser(tx: Tx, source: AuditSource): Promise<void> {
  const made = await tx
    .insert(users)
    .values({ id: formsUserId, kind: 'service', email, name: 'Forms', role: 'editor', passwordHash: null })
    .onConflictDoNothing()
    .returning({ id: users.id })
  if (made.length > 0) await recordChange(tx, source, 'user_created', formsUserId)
}

/**
 * Who writes a submission: never more than an editor, so that the rules of access apply whatever role the service user
 * was given. Null where it was deleted, disabled or made a viewer: then all forms are closed.
 */
export async function formsActor({ db, catalog }: Pick<Deps, 'db' | 'catalog'>): Promise<Actor | null> {
  const [row] = await db.orm.select().from(users).where(eq(users.id, formsUserId))
  if (!row || row.disabledAt !== null || row.role === 'viewer') return null
  const { version } = await catalog.current()
  return { user: { ...toUser(row), role: 'editor' }, via: 'bearer', catalogVersion: version }
}
