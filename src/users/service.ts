import { asc, eq } from 'drizzle-orm'
import { normalEmail, presentUser, readEmail, readPassword } from '../auth/accounts'
import type { Role, User } from '../auth/model'
import type { Passwords } from '../auth/passwords'
import type { Db } from '../db/open'
import { sessions, tokens, users } from '../db/schema'
import { conflict, notFound, validationFailed } from '../errors'

export type NewUser = { email: string; role: Role; password: string }

/** @throws Failure validation_failed, conflict (the address is taken) */
export async function createUser(db: Db, passwords: Passwords, input: NewUser): Promise<User> {
  const email = readEmail(input.email)
  const passwordHash = await passwords.hash(longEnough(input.password))
  const values = { id: Bun.randomUUIDv7(), email, name: email.split('@')[0]!, role: input.role, passwordHash }
  const [row] = await db.orm.insert(users).values(values).onConflictDoNothing().returning()
  if (!row) throw conflict('There is a user with this e-mail address already.')
  return presentUser(row)
}

/** Sessions and tokens of that user end: whoever knew the old password is out (SEC-14). @throws Failure not_found, validation_failed */
export async function resetPassword(db: Db, passwords: Passwords, email: string, password: string): Promise<User> {
  const passwordHash = await passwords.hash(longEnough(password))
  return db.orm.transaction(async (tx) => {
    const [row] = await tx
      .update(users)
      .set({ passwordHash })
      .where(eq(users.email, normalEmail(email)))
      .returning()
    if (!row) throw notFound('There is no user with this e-mail address.')
    await tx.delete(sessions).where(eq(sessions.userId, row.id))
    await tx.delete(tokens).where(eq(tokens.userId, row.id))
    return presentUser(row)
  })
}

export async function listUsers(db: Db): Promise<User[]> {
  return (await db.orm.select().from(users).orderBy(asc(users.email))).map(presentUser)
}

function longEnough(password: string): string {
  if (password.length >= 8 && password.length <= 256) return readPassword(password)
  throw validationFailed([{ path: '/password', message: 'A password has 8 to 256 characters.' }])
}
