import { and, eq, isNull, sql } from 'drizzle-orm'
import { readDisplayName, toUser } from '../auth/accounts/accounts'
import { readNewPassword } from '../auth/accounts/password-rules'
import { beginSession, type Client, deleteSessions, OutdatedPassword } from '../auth/accounts/sessions'
import { type AuditSource, recordChange } from '../auth/audit/audit-log'
import type { User } from '../auth/model'
import { hashSecret, newSecret } from '../auth/secret'
import type { Db, Tx } from '../db/pool/open'
import { invites, sessions, tokens, users } from '../db/schema/tables'
import type { Deps } from '../deps'
import { notFound } from '../errors'
import { translatable } from '../messages/message'
import type { InviteAnswer } from './model'

/** The value is returned only once; the database stores its hash. */
export type Invite = { inviteToken: string; expiresAt: string }

const hours = 72

const noInvite = () =>
  notFound(
    translatable('This invitation is not valid: it is unknown, used or older than 72 hours.'),
    translatable('Ask an administrator for a new link.'),
  )

/** One at a time per user: a new one replaces the previous one. */
export async function createInvite(tx: Tx, userId: string): Promise<Invite> {
  const inviteToken = newSecret()
  await tx.delete(invites).where(eq(invites.userId, userId))
  const [row] = await tx
    .insert(invites)
    .values({
      id: Bun.randomUUIDv7(),
      userId,
      secretHash: hashSecret(inviteToken),
      expiresAt: sql`now() + pg_catalog.make_interval(hours => ${hours})`,
    })
    .returning()
  return { inviteToken, expiresAt: row!.expiresAt.toISOString() }
}

const valid = (inviteToken: string) => sql`${invites.secretHash} = ${hashSecret(inviteToken)} and ${invites.expiresAt} > now()`

/** Returns the invited user. @throws Failure not_found */
export async function checkInvite(db: Db, inviteToken: string): Promise<{ email: string; name: string; expiresAt: string }> {
  const { email, name, expiresAt } = await getInvite(db, inviteToken)
  return { email, name, expiresAt: expiresAt.toISOString() }
}

async function getInvite(db: Db, inviteToken: string) {
  const [row] = await db.orm
    .select({ userId: users.id, email: users.email, name: users.name, expiresAt: invites.expiresAt })
    .from(invites)
    .innerJoin(users, eq(users.id, invites.userId))
    .where(sql`${valid(inviteToken)} and ${users.disabledAt} is null`)
  return row ?? throwInviteProblem()
}

function throwInviteProblem(): never {
  throw noInvite()
}

/**
 * Sets the password and signs the user in; sessions, tokens and links from before end. Works once.
 * @param replaces the browser's earlier cookie. @returns the new cookie's value. @throws Failure not_found,
 * validation_failed
 */
export async function acceptInvite(
  { db, passwords }: Pick<Deps, 'db' | 'passwords'>,
  input: InviteAnswer,
  client: Client,
  replaces?: string,
): Promise<{ user: User; secret: string }> {
  const { userId, email, name } = await getInvite(db, input.inviteToken)
  const chosen = input.name?.trim() ? readDisplayName(input.name, email) : name
  const passwordHash = await passwords.hash(readNewPassword(input.password, { email, name: chosen }))
  const user = await db.orm.transaction(async (tx) => {
    // Locks the user first, as every change of a user does: two changes that lock in different orders would deadlock.
    const [row] = await tx
      .update(users)
      .set({ passwordHash, name: chosen })
      .where(and(eq(users.id, userId), isNull(users.disabledAt)))
      .returning()
    const used = row ? await tx.delete(invites).where(valid(input.inviteToken)).returning({ id: invites.id }) : []
    if (used.length === 0) throw noInvite()
    const source: AuditSource = { credential: 'none', address: client.address, actorId: userId }
    await deleteSessions(tx, eq(sessions.userId, userId), source)
    await tx.delete(tokens).where(eq(tokens.userId, userId))
    await recordChange(tx, source, 'invite_accepted')
    return toUser(row!)
  })
  const secret = await beginSession(db, userId, client, replaces, passwordHash).catch((error) => {
    throw error instanceof OutdatedPassword ? noInvite() : error
  })
  return { user, secret }
}
