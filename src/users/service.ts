import { asc, eq, sql } from 'drizzle-orm'
import { normalizeEmail, readEmail, readUserName, toUser } from '../auth/accounts/accounts'
import { readNewPassword } from '../auth/accounts/password-rules'
import type { Passwords } from '../auth/accounts/passwords'
import { type AuditSource, recordChange } from '../auth/audit/audit-log'
import type { User } from '../auth/model'
import { lockKeys } from '../db/lock-keys'
import type { Db, Tx } from '../db/open'
import { invites, sessions, tokens, users } from '../db/schema'
import { conflict, notFound } from '../errors'
import { translatable } from '../messages/message'
import { createInvite, type Invite } from './invites'
import type { NewUser, UserName, UserPatch } from './model'

const noUser = () => notFound(translatable('There is no such user.'))

/**
 * With a password they can sign in at once; without one they are invited.
 * @throws Failure validation_failed, conflict
 */
export async function createUser(
  db: Db,
  passwords: Passwords,
  input: NewUser,
  source: AuditSource | null,
): Promise<{ user: User; invite?: Invite }> {
  const email = readEmail(input.email)
  const name = input.name?.trim() ? readUserName(input.name) : email.split('@')[0]!
  const passwordHash = input.password === undefined ? null : await passwords.hash(readNewPassword(input.password, { email, name }))
  return db.orm.transaction(async (tx) => {
    const [row] = await tx
      .insert(users)
      .values({ id: Bun.randomUUIDv7(), email, name, role: input.role, passwordHash })
      .onConflictDoNothing()
      .returning()
    if (!row) throw conflict(translatable('There is a user with this e-mail address already.'))
    await recordChange(tx, source, 'user_created', row.id)
    return { user: toUser(row), ...(passwordHash === null ? { invite: await createInvite(tx, row.id) } : {}) }
  })
}

export async function listUsers(db: Db): Promise<User[]> {
  return (await db.orm.select().from(users).orderBy(asc(users.email))).map(toUser)
}

/** Everybody by name, for everybody. */
export async function listNames(db: Db): Promise<UserName[]> {
  const columns = { id: users.id, name: users.name, disabledAt: users.disabledAt }
  const rows = await db.orm.select(columns).from(users).orderBy(asc(users.name), asc(users.id))
  return rows.map(({ id, name, disabledAt }) => ({ id, name, disabled: disabledAt !== null }))
}

/** @throws Failure not_found */
export async function getUser(db: Db, id: string): Promise<User> {
  const [row] = await db.orm.select().from(users).where(eq(users.id, id))
  return row ? toUser(row) : missing()
}

function missing(): never {
  throw noUser()
}

/**
 * A disabled user's sessions end; their tokens are refused while it lasts.
 * @throws Failure not_found, conflict (the last administrator)
 */
export async function updateUser(db: Db, id: string, patch: UserPatch, source: AuditSource): Promise<User> {
  const change = {
    ...(patch.name === undefined ? {} : { name: readUserName(patch.name) }),
    ...(patch.role === undefined ? {} : { role: patch.role }),
    ...(patch.disabled === undefined ? {} : { disabledAt: patch.disabled ? sql`coalesce(${users.disabledAt}, now())` : null }),
  }
  return keepingAnAdmin(db, async (tx) => {
    const [row] = await tx.update(users).set(change).where(eq(users.id, id)).returning()
    if (!row) throw noUser()
    if (patch.disabled) await tx.delete(sessions).where(eq(sessions.userId, id))
    await recordChange(tx, source, 'user_changed', id)
    return toUser(row)
  })
}

/** Their sessions, tokens and invitations go too; the records they made stay. @throws Failure not_found, conflict */
export async function deleteUser(db: Db, id: string, source: AuditSource): Promise<void> {
  await keepingAnAdmin(db, async (tx) => {
    const gone = await tx.delete(users).where(eq(users.id, id)).returning({ id: users.id })
    if (gone.length === 0) throw noUser()
    await recordChange(tx, source, 'user_deleted', id)
  })
}

/**
 * The old password, all sessions and all tokens end; a new password is set by the link (SEC-14).
 * @throws Failure not_found, conflict
 */
export async function resetUser(db: Db, id: string, source: AuditSource): Promise<Invite> {
  return keepingAnAdmin(db, async (tx) => {
    const [row] = await tx.update(users).set({ passwordHash: null }).where(eq(users.id, id)).returning({ id: users.id })
    if (!row) throw noUser()
    await endEverything(tx, id)
    await recordChange(tx, source, 'user_reset', id)
    return createInvite(tx, id)
  })
}

/** For the command line, which must work when nobody can sign in. @throws Failure not_found, validation_failed */
export async function resetPassword(db: Db, passwords: Passwords, emailText: string, password: string, source: AuditSource): Promise<User> {
  const email = normalizeEmail(emailText)
  const passwordHash = await passwords.hash(readNewPassword(password, { email }))
  return db.orm.transaction(async (tx) => {
    const [row] = await tx.update(users).set({ passwordHash }).where(eq(users.email, email)).returning()
    if (!row) throw notFound(translatable('There is no user with this e-mail address.'))
    await endEverything(tx, row.id)
    await recordChange(tx, source, 'user_reset', row.id)
    return toUser(row)
  })
}

/** @throws Failure not_found */
export async function endSessionsOf(db: Db, id: string, source: AuditSource): Promise<void> {
  await getUser(db, id)
  await db.orm.transaction(async (tx) => {
    await tx.delete(sessions).where(eq(sessions.userId, id))
    await recordChange(tx, source, 'session_revoked', id)
  })
}

/** Links that were handed out for an earlier reset too: whoever holds one could choose the next password. */
async function endEverything(tx: Tx, userId: string) {
  await tx.delete(invites).where(eq(invites.userId, userId))
  await tx.delete(sessions).where(eq(sessions.userId, userId))
  await tx.delete(tokens).where(eq(tokens.userId, userId))
}

/**
 * Runs a change of users; at least one administrator who can sign in remains, also when two are changed at once.
 * @throws Failure conflict
 */
function keepingAnAdmin<T>(db: Db, change: (tx: Tx) => Promise<T>): Promise<T> {
  return db.orm.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${lockKeys.lastAdmin})`)
    const result = await change(tx)
    const admins = await tx.$count(
      users,
      sql`${users.role} = 'admin' and ${users.disabledAt} is null and ${users.passwordHash} is not null`,
    )
    if (admins === 0) throw conflict(translatable('At least one administrator who can sign in must remain.'))
    return result
  })
}
