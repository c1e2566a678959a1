import { and, eq, ne } from 'drizzle-orm'
import type { Db } from '../../db/pool/open'
import { sessions, tokens, users } from '../../db/schema/tables'
import type { Deps } from '../../deps'
import { Failure, validationFailed } from '../../errors'
import { translatable } from '../../messages/message'
import { type AuditSource, recordChange } from '../audit/audit-log'
import { type Actor, realm, unauthenticated } from '../identity/actor'
import type { PasswordChange, User } from '../model'
import { readNewPassword } from './password-rules'
import { deleteSessions } from './sessions'

type StoredUser = typeof users.$inferSelect

export const toUser = (row: StoredUser): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  kind: row.kind,
  disabled: row.disabledAt !== null,
  createdAt: row.createdAt.toISOString(),
  lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
})

/** The form in which an e-mail address is stored and looked up (SEC-05). */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

export const invalidEmail = () => validationFailed([{ path: '/email', message: translatable('This is not an e-mail address.') }])

const emailPattern = /^[^\s@\0]+@[^\s@\0]+$/

/** @throws Failure validation_failed; checks no more than mail servers agree on */
export function readEmail(email: string): string {
  const normal = normalizeEmail(email)
  if (emailPattern.test(normal) && normal.isWellFormed()) return normal
  throw invalidEmail()
}

/** Ill-formed UTF-16 would be hashed as something other than the typed text (SEC-11). */
export function readPassword(password: string, path = '/password'): string {
  if (password.isWellFormed()) return password
  throw validationFailed([{ path, message: translatable('The password holds a character that is not valid Unicode.') }])
}

/**
 * The name of a person or a token. PostgreSQL stores no NUL, and UTF-8 has no lone surrogates.
 * @throws Failure validation_failed
 */
export function readUserName(name: string): string {
  if (name.isWellFormed() && !name.includes('\0') && name.trim() !== '') return name.trim()
  throw validationFailed([
    { path: '/name', message: translatable('A name needs at least one visible character, and no NUL or broken surrogate.') },
  ])
}

/**
 * The display name of a user. Users can also be entered by name, so a name must not be the e-mail address of another
 * user, even of a future one.
 * @throws Failure validation_failed
 */
export function readDisplayName(text: string, email: string): string {
  const name = readUserName(text)
  if (!emailPattern.test(name) || normalizeEmail(name) === email) return name
  throw validationFailed([
    { path: '/name', message: translatable("A name cannot be an e-mail address, except the user's own. Choose another name.") },
  ])
}

/** @throws Failure validation_failed */
export function renameSelf(db: Db, actor: Actor, name: string, source: AuditSource): Promise<User> {
  const { id, email } = actor.user
  return db.orm.transaction(async (tx) => {
    const [row] = await tx
      .update(users)
      .set({ name: readDisplayName(name, email) })
      .where(eq(users.id, id))
      .returning()
    // The user was deleted since the request began.
    if (!row) throw unauthenticated()
    await recordChange(tx, source, 'user_changed', id)
    return toUser(row)
  })
}

/** One response for every reason: unknown, wrong password, disabled, invited only (SEC-01). */
export const invalidCredentials = () =>
  new Failure('invalid_credentials', translatable('E-mail or password is wrong.'), { headers: { 'www-authenticate': realm } })

const wrongPassword = () => new Failure('wrong_password', translatable('The current password is wrong.'))

/**
 * Changes the caller's own password. The other sessions end, and the tokens too if requested (SEC-13, SEC-14).
 * @throws Failure wrong_password, too_many_requests, validation_failed
 */
export async function changePassword(
  { db, passwords, events, throttle }: Pick<Deps, 'db' | 'passwords' | 'events' | 'throttle'>,
  actor: Actor,
  change: PasswordChange,
  source: AuditSource,
): Promise<void> {
  const { address } = source
  const { email, name, id } = actor.user
  const current = readPassword(change.currentPassword, '/currentPassword')
  const currentHash = await throttle({ account: email, address, isInSession: true }, async ({ user }) => {
    const hash = user?.id === id ? user.passwordHash : null
    const isRight = await passwords.verify(hash, current, () => events.emit({ kind: 'hash_unreadable', userId: id }))
    return isRight ? { outcome: 'ok', value: hash } : { outcome: 'failed', value: null }
  })
  if (currentHash === null) throw wrongPassword()
  const passwordHash = await passwords.hash(readNewPassword(change.newPassword, { email, name }, '/newPassword'))
  await db.orm.transaction(async (tx) => {
    // Someone else may have changed or reset it since the check; that change must win.
    const changed = await tx
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, id), eq(users.passwordHash, currentHash)))
      .returning({ id: users.id })
    if (changed.length === 0) throw wrongPassword()
    await deleteSessions(tx, and(eq(sessions.userId, id), actor.sessionId ? ne(sessions.id, actor.sessionId) : undefined)!, source)
    if (change.revokeTokens) await tx.delete(tokens).where(eq(tokens.userId, id))
    await recordChange(tx, source, 'password_changed')
  })
}
