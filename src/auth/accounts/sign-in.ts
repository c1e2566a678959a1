import { and, eq } from 'drizzle-orm'
import { users } from '../../db/schema/tables'
import type { Deps } from '../../deps'
import { Failure } from '../../errors'
import { auditCall, auditValues, recordAudit, toAuditResult } from '../audit/audit-log'
import type { Credentials, User } from '../model'
import { invalidCredentials, invalidEmail, normalizeEmail, readPassword } from './accounts'
import { type Client, newSession } from './sessions'
import { type Entered, type KnownUser, Throttled } from './throttle'

type SignInDeps = Pick<Deps, 'db' | 'passwords' | 'events' | 'throttle'>

/** `secret` is the cookie's value; only its hash is stored. */
type SignedIn = { user: User; secret: string }

/**
 * Exchanges e-mail and password for a session, with two database round trips besides the hashing: one counts the
 * attempt and loads the account, the other ends the attempt. Guesses are counted before the hash is computed, and the
 * same work is done in every case (SEC-02, SEC-16, SEC-18). If the password changes during a sign-in, the password at
 * the start of the session decides, so that no session of the old password outlives the change (SEC-14, SEC-32).
 * @param replaces the browser's earlier cookie, whose session ends (R10, SEC-28)
 * @throws Failure invalid_credentials, too_many_requests, unavailable, validation_failed
 */
export async function signIn(deps: SignInDeps, credentials: Credentials, client: Client, replaces?: string): Promise<SignedIn> {
  const checked = await attemptSignIn(deps, credentials, client, replaces).catch(async (error) => {
    const userId = error instanceof Throttled ? error.userId : null
    const result = toAuditResult(error)
    deps.events.emit({ kind: 'sign_in', outcome: result })
    await recordAudit(deps.db, { ...by(client, userId), result })
    if (error instanceof Throttled) return error
    throw error
  })
  // Waits at the very end, when the attempt no longer counts as running: failures with and without a check look alike
  // and do not delay other callers.
  if (checked instanceof Throttled) {
    await Bun.sleep(Math.max(0, checked.answerAt - performance.now()))
    throw checked
  }
  deps.events.emit({ kind: 'sign_in', outcome: checked instanceof Failure ? 'failed' : 'ok' })
  if (checked instanceof Failure) throw checked
  return checked
}

/** If the user was changed while the hash was computed, tries again with the new data. */
async function attemptSignIn(deps: SignInDeps, credentials: Credentials, client: Client, replaces?: string): Promise<SignedIn | Failure> {
  if (!credentials.email.isWellFormed()) throw invalidEmail()
  const account = normalizeEmail(credentials.email)
  const password = readPassword(credentials.password)
  for (let time = 0; time < 3; time++) {
    const checked = await deps.throttle({ account, address: client.address }, async (entered) => ({
      outcome: 'settled',
      value: await checkPassword(deps, entered, password, client, replaces),
    }))
    if (checked !== 'outdated') return checked
  }
  throw invalidCredentials()
}

type PasswordCheck = SignedIn | Failure | 'outdated'

async function checkPassword(
  deps: SignInDeps,
  entered: Entered,
  password: string,
  client: Client,
  replaces?: string,
): Promise<PasswordCheck> {
  const { db, passwords, events } = deps
  const { user } = entered
  const onDamage = () => events.emit({ kind: 'hash_unreadable', userId: user?.id ?? '' })
  const isRight = await passwords.verify(user?.passwordHash ?? null, password, onDamage)
  if (!user?.passwordHash || !isRight || user.disabled) {
    await db.query(failStatement, [entered.id, ...auditValues({ ...by(client, user?.id ?? null), result: 'failed' })])
    return entered.block ?? invalidCredentials()
  }
  const { passwordHash, ...signedIn } = user
  const session = newSession(client, replaces)
  const checkedHash = await rehashIfWeaker(deps, { ...user, passwordHash }, password)
  const parameters = [entered.id, entered.keys.accountAddress, user.id, checkedHash, ...session.parameters, Bun.randomUUIDv7()]
  const [row] = await db.query<{ is_begun: boolean }>(completeStatement, parameters)
  return row!.is_begun ? { user: signedIn, secret: session.secret } : 'outdated'
}

/**
 * One response for every reason, in one round trip. A wrong guess that is answered with a block also counts as
 * `failed`, because it was checked.
 */
const failStatement = `select rowhouse.end_attempt($1::uuid, 'failed', ''), ${auditCall(2)}`

const completeStatement = `select rowhouse.complete_sign_in($1::uuid, $2, $3::uuid, $4,
  $5::uuid, $6, $7, $8, $9, $10::int, $11::int, $12::uuid) as is_begun`

const by = ({ address }: Client, subjectId: string | null) => ({ kind: 'login', credential: 'none', address, subjectId }) as const

/**
 * SEC-09: replaces a hash with weaker parameters while the password is available; if several sign-ins do so at once,
 * one wins.
 * @returns the hash that is now stored
 */
async function rehashIfWeaker(
  { db, passwords }: Pick<Deps, 'db' | 'passwords'>,
  { id, passwordHash }: KnownUser & { passwordHash: string },
  password: string,
): Promise<string> {
  if (!passwords.isWeak(passwordHash)) return passwordHash
  const better = await passwords.hash(password)
  const [row] = await db.orm
    .update(users)
    .set({ passwordHash: better })
    .where(and(eq(users.id, id), eq(users.passwordHash, passwordHash)))
    .returning({ id: users.id })
  return row ? better : passwordHash
}
