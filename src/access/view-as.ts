import { eq } from 'drizzle-orm'
import { clearViews } from '../auth/accounts/sessions'
import { type AuditSource, recordChange } from '../auth/audit/audit-log'
import type { Actor } from '../auth/identity/actor'
import type { Db } from '../db/pool/open'
import { sessions } from '../db/schema/tables'
import { conflict, forbidden } from '../errors'
import { translatable } from '../messages/message'
import { getUser } from '../users/service'

/**
 * From the next request on, the administrator's session reads as another user, until it ends the view. It has that
 * user's role, groups and rules, and changes nothing.
 * @throws Failure not_found; conflict for an administrator and a disabled user
 */
export async function beginView(db: Db, { sessionId, viewedBy, user }: Actor, userId: string, source: AuditSource): Promise<void> {
  if (!sessionId || viewedBy || user.role !== 'admin') throw forbidden()
  const viewed = await getUser(db, userId)
  if (viewed.role === 'admin') throw conflict(translatable('Administrators see everything; choose another user.'))
  if (viewed.disabled) throw conflict(translatable('This user cannot sign in; choose another user.'))
  await db.orm.transaction(async (tx) => {
    await tx.update(sessions).set({ viewedUserId: userId }).where(eq(sessions.id, sessionId))
    await recordChange(tx, source, 'view_began', userId)
  })
}

/** Ends the view, if there is one: the session belongs to the administrator again. */
export async function endView(db: Db, { sessionId }: Actor, source: AuditSource): Promise<void> {
  if (!sessionId) return
  await db.orm.transaction((tx) => clearViews(tx, eq(sessions.id, sessionId), source))
}
