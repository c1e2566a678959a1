import { eq } from 'drizzle-orm'
import { toUser } from '../auth/accounts/accounts'
import { type AuditSource, recordChange } from '../auth/audit/audit-log'
import type { Actor } from '../auth/identity/actor'
import type { Db } from '../db/pool/open'
import { users } from '../db/schema/tables'
import type { Deps } from '../deps'
import { formsUserId } from './service-user-id'

const email = 'forms@service.invalid'

/**
 * Creates the service user if it is missing: with the first form, and with the next one after it was deleted. Otherwise
 * it only reads, so that a form that cannot be saved leaves no doubt whether something was written.
 */
export async function ensureFormsUser({ orm }: Db, source: AuditSource): Promise<void> {
  const [present] = await orm.select({ id: users.id }).from(users).where(eq(users.id, formsUserId))
  if (present) return
  await orm.transaction(async (tx) => {
    const made = await tx
      .insert(users)
      .values({ id: formsUserId, kind: 'service', email, name: 'Forms', role: 'editor', passwordHash: null })
      .onConflictDoNothing()
      .returning({ id: users.id })
    if (made.length > 0) await recordChange(tx, source, 'user_created', formsUserId)
  })
}

/**
 * The author of submissions: never more than an editor, so that access rules apply whatever role the service user has.
 * Null if it is deleted, disabled or a viewer: then all forms are closed.
 */
export async function formsActor({ db, catalog }: Pick<Deps, 'db' | 'catalog'>): Promise<Actor | null> {
  const [row] = await db.orm.select().from(users).where(eq(users.id, formsUserId))
  if (!row || row.disabledAt !== null || row.role === 'viewer') return null
  const { version } = await catalog.current()
  return { user: { ...toUser(row), role: 'editor' }, via: 'bearer', catalogVersion: version }
}
