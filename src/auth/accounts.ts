import { and, eq, ne } from 'drizzle-orm'
import { sessions, tokens, users } from '../db/schema'
import type { Deps } from '../deps'
import { Failure, validationFailed } from '../errors'
import { type Actor, realm } from './actor'
import type { Credentials, PasswordChange, User } from './model'
import { readNewPassword } from './password-rules'
import { throttled } from './throttle'

type Row = typeof users.$inferSelect

export const presentUser = (row: Row): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  disabled: row.disabledAt !== null,
  createdAt: row.createdAt.toISOString(),
  lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
})

/** The form under which an address is stored and looked up (SEC-05). */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/** @throws Failure validation_failed; the form is checked no closer than mail servers agree on */
export function readEmail(email: string): string {
  const normal = normalEmail(email)
  if (/^[^\s@\0]+@[^\s@\0]+$/.test(normal) && normal.isWellFormed()) return normal
  throw validationFailed([{ path: '/email', message: 'This is not an e-mail address.' }])
}

/** Ill-formed UTF-16 would be hashed as something else than was typed (SEC-11). */
function readPassword(password: string, path = '/password'): string {
  if (password.isWellFormed()) return password
  throw validationFailed([{ path, message: 'The password holds a character that is not valid Unicode.' }])
}

/** A label of a person or a token. PostgreSQL stores no NUL, and UTF-8 has no lone surrogates. @throws Failure validation_failed */
export function readName(name: string): string {
  if (name.isWellFormed() && !name.includes('\0') && name.trim() !== '') return name.trim()
  throw validationFailed([{ path: '/name', message: 'A name needs at least one visible character, and no NUL or broken surrogate.' }])
}

/** One answer for every way to be wrong: unknown, wrong password, disabled, invited only (SEC-01). */
export const invalidCredentials = () =>
  new Failure('invalid_credentials', 'E-mail or password is wrong.', { headers: { 'www-authenticate': realm } })

/**
 * Who signs in. Guesses are counted before the hash is computed; the same work is done in every case (SEC-02, SEC-16, SEC-18).
 * @throws Failure invalid_credentials, too_many_requests, unavailable, validation_failed
 */
export async function checkCredentials({ db, passwords, events }: Checks, credentials: Credentials, address: string): Promise<Checked> {
  const email = normalEmail(readPassword(credentials.email, '/email'))
  const password = readPassword(credentials.password)
  const checked = await throttled(db, { account: email, address }, async () => {
    const [row] = email.includes('\0') ? [] : await db.orm.select().from(users).where(eq(users.email, email))
    const isRight = await passwords.verify(row?.passwordHash ?? null, password, () => reportDamage(events, row))
    if (!row?.passwordHash || !isRight || row.disabledAt) return { outcome: 'failed', value: null }
    return { outcome: 'ok', value: { user: presentUser(row), passwordHash: await strengthened({ db, passwords }, row, password) } }
  })
  if (!checked) throw invalidCredentials()
  return checked
}

type Checks = Pick<Deps, 'db' | 'passwords' | 'events'>

/** Whose password was right, and the hash that it was right for. */
export type Checked = { user: User; passwordHash: string }

const reportDamage = (events: Deps['events'], row: Row | undefined) => events.emit({ kind: 'hash_unreadable', userId: row?.id ?? '' })

/** SEC-09: a hash with weaker parameters is replaced while the password is at hand; of racing sign-ins one wins. @returns the hash to go by */
async function strengthened({ db, passwords }: Omit<Checks, 'events'>, { id, passwordHash }: Row, password: string): Promise<string> {
  const known = passwordHash!
  if (!passwords.isWeak(known)) return known
  const better = await passwords.hash(password)
  const [row] = await db.orm
    .update(users)
    .set({ passwordHash: better })
    .where(and(eq(users.id, id), eq(users.passwordHash, known)))
    .returning({ id: users.id })
  return row ? better : known
}

const wrongPassword = () => new Failure('wrong_password', 'The current password is wrong.')

/**
 * Changes one's own password. The other sessions end; tokens too if asked (SEC-13, SEC-14).
 * @throws Failure wrong_password, too_many_requests, validation_failed
 */
export async function changePassword(checks: Checks, actor: Actor, change: PasswordChange, address: string): Promise<void> {
  const { db, passwords, events } = checks
  const { email, name, id } = actor.user
  const current = readPassword(change.currentPassword, '/currentPassword')
  const known = await throttled(db, { account: email, address }, async () => {
    const [row] = await db.orm.select().from(users).where(eq(users.id, id))
    const isRight = await passwords.verify(row?.passwordHash ?? null, current, () => reportDamage(events, row))
    return isRight ? { outcome: 'ok', value: row!.passwordHash } : { outcome: 'failed', value: null }
  })
  if (known === null) throw wrongPassword()
  const passwordHash = await passwords.hash(readNewPassword(change.newPassword, { email, name }, '/newPassword'))
  await db.orm.transaction(async (tx) => {
    // Somebody else may have changed or reset it since the check; theirs must stand.
    const changed = await tx
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, id), eq(users.passwordHash, known)))
      .returning({ id: users.id })
    if (changed.length === 0) throw wrongPassword()
    await tx.delete(sessions).where(and(eq(sessions.userId, id), actor.sessionId ? ne(sessions.id, actor.sessionId) : undefined))
    if (change.revokeTokens) await tx.delete(tokens).where(eq(tokens.userId, id))
  })
}
