import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { users } from '../db/schema'
import { Failure, validationFailed } from '../errors'
import { realm } from './actor'
import type { Credentials, User } from './model'
import type { Passwords } from './passwords'

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
export function readPassword(password: string, path = '/password'): string {
  if (password.isWellFormed()) return password
  throw validationFailed([{ path, message: 'The password holds a character that is not valid Unicode.' }])
}

/** A label of a person or a token. PostgreSQL stores no NUL, and UTF-8 has no lone surrogates. @throws Failure validation_failed */
export function readName(name: string): string {
  if (name.isWellFormed() && !name.includes('\0') && name.trim() !== '') return name.trim()
  throw validationFailed([{ path: '/name', message: 'A name needs at least one visible character, and no NUL or broken surrogate.' }])
}

/** One answer for every way to be wrong: unknown, wrong password, disabled, invited only (SEC-01). */
const invalidCredentials = () =>
  new Failure('invalid_credentials', 'E-mail or password is wrong.', { headers: { 'www-authenticate': realm } })

/** @throws Failure invalid_credentials, after the same work in every case (SEC-02) */
export async function checkCredentials(db: Db, passwords: Passwords, { email, password }: Credentials): Promise<User> {
  const asked = normalEmail(readPassword(email, '/email'))
  const [row] = asked.includes('\0') ? [] : await db.orm.select().from(users).where(eq(users.email, asked))
  const isRight = await passwords.verify(row?.passwordHash ?? null, readPassword(password))
  if (!row || !isRight || row.disabledAt) throw invalidCredentials()
  return presentUser(row)
}
