import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { sessions, users } from '../db/schema'
import { sessionSeconds } from './cookie'
import { hashSecret, newSecret } from './secret'

/** Where a session was begun: shown to its owner, so that a stranger's can be told apart. */
export type Client = { address: string; agent: string }

/** At most this many at a time for one user; the oldest ends (SEC-34). */
const mostSessions = 50

/**
 * Begins a session for a user who has just shown who they are. `replaces` is the browser's earlier cookie, which ends (R10, SEC-28).
 * The database's clock decides when it ends (SEC-29).
 * @returns the cookie's value; only its hash is kept
 */
export async function beginSession(db: Db, userId: string, client: Client, replaces?: string): Promise<string> {
  const secret = newSecret()
  await db.orm.transaction(async (tx) => {
    if (replaces) await tx.delete(sessions).where(eq(sessions.secretHash, hashSecret(replaces)))
    await tx.insert(sessions).values({
      id: Bun.randomUUIDv7(),
      secretHash: hashSecret(secret),
      userId,
      expiresAt: sql`now() + make_interval(secs => ${sessionSeconds})`,
      address: client.address,
      agent: client.agent.slice(0, 300),
    })
    await tx.update(users).set({ lastLoginAt: sql`now()` }).where(eq(users.id, userId))
    await tx.execute(sql`delete from ${sessions} where ${sessions.id} in (
      select id from ${sessions} where user_id = ${userId} order by created_at desc, id desc offset ${mostSessions})`)
  })
  return secret
}

/** The row goes, so the cookie is worth nothing on every instance from now on (SEC-30). */
export async function endSession(db: Db, userId: string, sessionId: string): Promise<void> {
  await db.orm.delete(sessions).where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId)))
}

/** SEC-35. */
export async function pruneSessions(db: Db): Promise<void> {
  await db.orm.delete(sessions).where(sql`${sessions.expiresAt} < now()`)
}
