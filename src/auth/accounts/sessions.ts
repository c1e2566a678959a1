import { and, desc, eq, isNotNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Db, Tx } from '../../db/pool/open'
import { sessions } from '../../db/schema/tables'
import { forbidden, notFound } from '../../errors'
import { infoOf } from '../../http/request/request-info'
import { translatable } from '../../messages/message'
import { type AuditSource, recordChange } from '../audit/audit-log'
import type { Actor } from '../identity/actor'
import { readSessionCookie } from '../identity/credential'
import { sessionSeconds } from '../identity/session-cookie'
import type { Session } from '../model'
import { hashSecret, newSecret } from '../secret'

/** Where a session began: displayed to its owner, who can then spot a stranger's session. */
export type Client = { address: string; agent: string }

export const clientOf = (request: Request): Client => ({ address: infoOf(request).address, agent: request.headers.get('user-agent') ?? '' })

/** The user was changed between the password check and the start of the session. */
export class OutdatedPassword extends Error {}

/**
 * The browser's earlier session, which a new one replaces; only a cookie counts, even if other credentials were sent.
 */
export function cookieOf(request: Request): string | undefined {
  const credential = readSessionCookie(request.headers.get('cookie'))
  return credential && !credential.fault ? credential.secret : undefined
}

/** The maximum number of sessions per user; the oldest ends (SEC-34). */
const maxSessions = 50

type NewSession = { secret: string; parameters: (string | null)[] }

/**
 * A new session, and the parameters of `rowhouse.begin_session`, starting with its id. The database's clock decides
 * when it ends (SEC-29).
 */
export function newSession({ address, agent }: Client, replaces?: string): NewSession {
  const secret = newSecret()
  const replacedHash = replaces === undefined ? null : hashSecret(replaces)
  const limits = [String(sessionSeconds), String(maxSessions)]
  return { secret, parameters: [Bun.randomUUIDv7(), hashSecret(secret), replacedHash, address, agent.slice(0, 300), ...limits] }
}

/**
 * Begins a session for an authenticated user. `replaces` is the browser's earlier cookie, whose session ends (R10,
 * SEC-28).
 * @param checkedHash the password hash that the sign-in was checked against
 * @returns the cookie's value; only its hash is stored. @throws OutdatedPassword
 */
export async function beginSession(db: Db, userId: string, client: Client, replaces?: string, checkedHash?: string): Promise<string> {
  const { secret, parameters } = newSession(client, replaces)
  const statement = 'select rowhouse.begin_session($1::uuid, $2, $3::uuid, $4, $5, $6, $7, $8::int, $9::int) as is_begun'
  const [row] = await db.query<{ is_begun: boolean }>(statement, [userId, checkedHash ?? null, ...parameters])
  if (!row!.is_begun) throw new OutdatedPassword()
  return secret
}

/**
 * Deletes the row, so that every instance rejects the cookie from now on (SEC-30). During a view as another user, the
 * session is the administrator's.
 * @throws Failure forbidden without a session
 */
export async function endSession(db: Db, { user, sessionId, viewedBy }: Actor, source: AuditSource): Promise<void> {
  if (!sessionId) throw forbidden()
  const userId = viewedBy?.id ?? user.id
  await db.orm.transaction(async (tx) => {
    await deleteSessions(tx, and(eq(sessions.id, sessionId), eq(sessions.userId, userId))!, source)
    await recordChange(tx, source, 'logout')
  })
}

/**
 * Ends views as another user, including those that are suspended because a role or an account is: a stored view would
 * become active again.
 * @param which a condition on `sessions`
 */
export async function clearViews(tx: Tx, which: SQL, source: AuditSource): Promise<void> {
  const isViewing = and(which, isNotNull(sessions.viewedUserId))
  const views = await tx.select({ viewedUserId: sessions.viewedUserId }).from(sessions).where(isViewing).for('update')
  if (views.length === 0) return
  await tx.update(sessions).set({ viewedUserId: null }).where(isViewing)
  for (const { viewedUserId } of views) await recordChange(tx, source, 'view_ended', viewedUserId!)
}

/** Ends sessions, and with them their views as another user. @param which a condition on `sessions` */
export async function deleteSessions(tx: Tx, which: SQL, source: AuditSource): Promise<{ id: string }[]> {
  await clearViews(tx, which, source)
  return tx.delete(sessions).where(which).returning({ id: sessions.id })
}

/** Neither expired nor unused for longer than ROWHOUSE_SESSION_IDLE_TIMEOUT; 0 for no such limit. */
const isRunning = (idleLimitMs: number) =>
  and(
    sql`${sessions.expiresAt} > now()`,
    idleLimitMs ? sql`${sessions.lastSeenAt} > now() - pg_catalog.make_interval(secs => ${idleLimitMs / 1000})` : undefined,
  )

/** The user's own sessions, newest first (SEC-33). */
export async function listSessions(db: Db, { user, sessionId }: Actor, idleLimitMs: number): Promise<Session[]> {
  const rows = await db.orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, user.id), isRunning(idleLimitMs)))
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
  return rows.map(({ id, createdAt, lastSeenAt, expiresAt, address, agent }) => ({
    id,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    address,
    agent,
    current: id === sessionId,
  }))
}

/** @throws Failure not_found for an unknown id or another user's session */
export async function revokeSession(db: Db, userId: string, id: string, source: AuditSource): Promise<void> {
  await db.orm.transaction(async (tx) => {
    const ended = await deleteSessions(tx, and(eq(sessions.id, id), eq(sessions.userId, userId))!, source)
    if (ended.length === 0) throw notFound(translatable('You have no such session.'))
    await recordChange(tx, source, 'session_revoked', id)
  })
}

/** All sessions except that of the request; all sessions if the request used a token. */
export async function revokeOtherSessions(db: Db, { user, sessionId }: Actor, source: AuditSource): Promise<void> {
  await db.orm.transaction(async (tx) => {
    await deleteSessions(tx, and(eq(sessions.userId, user.id), sessionId ? ne(sessions.id, sessionId) : undefined)!, source)
    await recordChange(tx, source, 'session_revoked', user.id)
  })
}

/** SEC-35. */
export async function pruneSessions(db: Db, idleLimitMs: number): Promise<void> {
  await db.orm.delete(sessions).where(sql`not (${isRunning(idleLimitMs)})`)
}
