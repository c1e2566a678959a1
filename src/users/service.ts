import { asc, eq, or, sql } from 'drizzle-orm'
import { normalizeEmail, readDisplayName, toUser } from '../auth/accounts/accounts'
import { listGroupNames, withGroups } from '../auth/accounts/group-names'
import { readNewPassword } from '../auth/accounts/password-rules'
import type { Passwords } from '../auth/accounts/passwords'
import { clearViews, deleteSessions } from '../auth/accounts/sessions'
import { type AuditSource, recordChange } from '../auth/audit/audit-log'
import type { User, UserWithGroups } from '../auth/model'
import { briefTransaction } from '../db/brief-transaction'
import { databaseFailure, driverError, ruleFailure, sqlState } from '../db/errors'
import { lockKeys } from '../db/lock-keys'
import type { Db, Tx } from '../db/pool/open'
import { groupMembers } from '../db/schema/access'
import { invites, sessions, tokens, users } from '../db/schema/tables'
import { conflict, Failure, notFound } from '../errors'
import { translatable } from '../messages/message'
import { createInvite, type Invite } from './invites'
import type { NewUser, UserName, UserPatch } from './model'
import { readNewUser } from './new-user'

const noUser = () => notFound(translatable('There is no such user.'))

const noPassword = () => conflict(translatable('This is a service user: it has no password and signs in with its API tokens only.'))

/**
 * With a password the user can sign in at once; without one they are invited. A service user gets neither.
 * @throws Failure validation_failed, conflict
 */
export async function createUser(
  db: Db,
  passwords: Passwords,
  input: NewUser,
  source: AuditSource | null,
): Promise<{ user: UserWithGroups; invite?: Invite }> {
  const id = Bun.randomUUIDv7()
  const { kind, email, name, password } = readNewUser(input, id)
  const passwordHash = password === undefined ? null : await passwords.hash(readNewPassword(password, { email, name }))
  return db.orm.transaction(async (tx) => {
    const [row] = await tx.insert(users).values({ id, kind, email, name, role: input.role, passwordHash }).onConflictDoNothing().returning()
    if (!row) throw conflict(translatable('A user with this e-mail address already exists.'))
    await recordChange(tx, source, 'user_created', id)
    const isInvited = kind === 'person' && passwordHash === null
    return { user: { ...toUser(row), groups: [] }, ...(isInvited ? { invite: await createInvite(tx, id) } : {}) }
  })
}

/** By e-mail address. */
export async function listUsers(db: Db): Promise<UserWithGroups[]> {
  const rows = await db.orm.select().from(users).orderBy(asc(users.email))
  const groupNames = await listGroupNames(db)
  return rows.map((row) => ({ ...toUser(row), groups: groupNames.get(row.id) ?? [] }))
}

/** The names of all users, for every signed-in caller. */
export async function listNames(db: Db): Promise<UserName[]> {
  const columns = { id: users.id, name: users.name, kind: users.kind, disabledAt: users.disabledAt }
  const rows = await db.orm.select(columns).from(users).orderBy(asc(users.name), asc(users.id))
  return rows.map(({ disabledAt, ...row }) => ({ ...row, disabled: disabledAt !== null }))
}

/** @throws Failure not_found */
export async function getUser(db: Db, id: string): Promise<UserWithGroups> {
  const [row] = await db.orm.select().from(users).where(eq(users.id, id))
  if (!row) throw noUser()
  return withGroups(db, toUser(row))
}

/**
 * Ends a disabled user's sessions and the views as them; their tokens are rejected while the user is disabled. A user
 * without the role admin cannot view the service as others.
 * @throws Failure not_found, conflict (the last administrator)
 */
export async function updateUser(db: Db, id: string, patch: UserPatch, source: AuditSource): Promise<UserWithGroups> {
  const change = {
    ...(patch.name === undefined ? {} : { name: readDisplayName(patch.name, (await getUser(db, id)).email) }),
    ...(patch.role === undefined ? {} : { role: patch.role }),
    ...(patch.disabled === undefined ? {} : { disabledAt: patch.disabled ? sql`coalesce(${users.disabledAt}, now())` : null }),
  }
  const user = await keepingAnAdmin(db, async (tx) => {
    const [row] = await tx.update(users).set(change).where(eq(users.id, id)).returning()
    if (!row) throw noUser()
    if (patch.disabled) {
      await deleteSessions(tx, eq(sessions.userId, id), source)
      await clearViews(tx, eq(sessions.viewedUserId, id), source)
    }
    if (row.role !== 'admin') await clearViews(tx, eq(sessions.userId, id), source)
    await recordChange(tx, source, 'user_changed', id)
    return toUser(row)
  })
  return withGroups(db, user)
}

/**
 * Also deletes their sessions, tokens and invitations; the records that they created remain. @throws Failure not_found,
 * conflict, query_timeout
 */
export async function deleteUser(db: Db, id: string, source: AuditSource): Promise<void> {
  await keepingAnAdmin(db, async (tx) => {
    // Raises the catalog version before anything else is locked, as changes of tables do.
    await tx.delete(groupMembers).where(eq(groupMembers.userId, id))
    // Locks the user before the sessions, as other changes do: two changes that lock in different orders would
    // deadlock.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for('update').catch(throwDeletionFailure)
    // The foreign keys delete the user's sessions, and would delete those of the administrators who view as the user.
    await clearViews(tx, or(eq(sessions.viewedUserId, id), eq(sessions.userId, id))!, source)
    const gone = await tx.delete(users).where(eq(users.id, id)).returning({ id: users.id }).catch(throwDeletionFailure)
    if (gone.length === 0) throw noUser()
    await recordChange(tx, source, 'user_deleted', id)
    // Deferred constraints would otherwise fail at the commit.
    await tx.execute(sql`set constraints all immediate`).catch(throwDeletionFailure)
  })
}

/** Deleting a user empties the columns that name them, to which triggers and constraints of any table may object. */
function throwDeletionFailure(error: unknown): never {
  const state = error instanceof Failure ? undefined : sqlState(error)
  if (state === undefined) throw error
  const source = driverError(error) as { message: string; hint?: string; table_name?: string }
  if (state.startsWith('23') && source.table_name !== undefined) {
    throw conflict(translatable('The table "{table}" does not allow its records to lose this user.', { table: source.table_name }), {
      hint: translatable('Disable the user instead, or change these records first.'),
    })
  }
  const failure = databaseFailure(error)
  if (failure?.kind !== 'query_timeout') throw ruleFailure(state, source) ?? error
  const hint = translatable('Very many records may name this user: disable the user instead, or raise ROWHOUSE_QUERY_TIMEOUT.')
  throw new Failure(failure.kind, failure.text, { ...failure.extras, hint })
}

/**
 * Ends the old password, all sessions and all tokens; the link sets a new password (SEC-14).
 * @throws Failure not_found, conflict (a service user, a disabled user, the last administrator)
 */
export async function resetUser(db: Db, id: string, source: AuditSource): Promise<Invite> {
  return keepingAnAdmin(db, async (tx) => {
    const [row] = await tx
      .update(users)
      .set({ passwordHash: null })
      .where(eq(users.id, id))
      .returning({ kind: users.kind, disabledAt: users.disabledAt })
    if (!row) throw noUser()
    if (row.kind === 'service') throw noPassword()
    // Their link would be invalid.
    if (row.disabledAt) throw conflict(translatable('This user is disabled; enable them first.'))
    await endEverything(tx, id, source)
    await recordChange(tx, source, 'user_reset', id)
    return createInvite(tx, id)
  })
}

/**
 * For the command line, which must work when nobody can sign in.
 * @throws Failure not_found, conflict (a service user), validation_failed
 */
export async function resetPassword(db: Db, passwords: Passwords, emailText: string, password: string, source: AuditSource): Promise<User> {
  const email = normalizeEmail(emailText)
  const [owner] = await db.orm.select({ name: users.name }).from(users).where(eq(users.email, email))
  const passwordHash = await passwords.hash(readNewPassword(password, { email, ...owner }))
  return db.orm.transaction(async (tx) => {
    const [found] = await tx.select({ kind: users.kind }).from(users).where(eq(users.email, email))
    if (found?.kind === 'service') throw noPassword()
    const [row] = await tx.update(users).set({ passwordHash }).where(eq(users.email, email)).returning()
    if (!row) throw notFound(translatable('There is no user with this e-mail address.'))
    await endEverything(tx, row.id, source)
    await recordChange(tx, source, 'user_reset', row.id)
    return toUser(row)
  })
}

/** @throws Failure not_found */
export async function endSessionsOf(db: Db, id: string, source: AuditSource): Promise<void> {
  await getUser(db, id)
  await db.orm.transaction(async (tx) => {
    await deleteSessions(tx, eq(sessions.userId, id), source)
    await recordChange(tx, source, 'session_revoked', id)
  })
}

/** Including links from an earlier reset: anyone who has one could choose the next password. */
async function endEverything(tx: Tx, userId: string, source: AuditSource) {
  await tx.delete(invites).where(eq(invites.userId, userId))
  await deleteSessions(tx, eq(sessions.userId, userId), source)
  await tx.delete(tokens).where(eq(tokens.userId, userId))
}

/**
 * Runs a change of users; ensures that an administrator who can sign in remains, also when two are changed at once.
 * @throws Failure conflict, unavailable
 */
function keepingAnAdmin<T>(db: Db, change: (tx: Tx) => Promise<T>): Promise<T> {
  return briefTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_catalog.pg_advisory_xact_lock(${lockKeys.usersAndGroups})`)
    const result = await change(tx)
    const admins = await tx.$count(
      users,
      sql`${users.role} = 'admin' and ${users.disabledAt} is null and ${users.passwordHash} is not null`,
    )
    if (admins === 0) throw conflict(translatable('At least one administrator who can sign in must remain.'))
    return result
  })
}
