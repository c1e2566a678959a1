import type { Db } from '../../db/pool/open'
import { timestampText } from '../../db/timestamp-text'
import { Failure, unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import { createKeyedHash } from '../keyed-hash'
import type { User } from '../model'
import { networkOf } from '../network'
import { createSignInQueue } from './queue'
import { createRefusalDelay } from './refusal-delay'

/**
 * An attempt to use a secret. `account` is the normalised e-mail; with a `purpose`, it is another name for the secret,
 * which the text of a sign-in never equals. With `isInSession` the caller has a session of that account: then only the
 * account's budgets count, since guesses by others at the same IP say nothing about the account's owner.
 */
type Attempt = { account: string; address: string; purpose?: 'setup' | 'link'; isInSession?: boolean }

/**
 * An admitted attempt: its id and keys in the database, and the account's user, if there is one. With `block`, everyone
 * else is rejected, and this attempt is admitted only because the account signed in from there before; a wrong guess
 * must then be answered with `block`, so that it reveals nothing.
 */
export type Entered = { id: string; keys: Keys; user: KnownUser | null; block: Throttled | null }

/** A user at the beginning of the attempt. */
export type KnownUser = User & { passwordHash: string | null }

/**
 * The outcome of an attempt: `ok` clears the failures of this account from this IP, `failed` counts, `undecided` (busy,
 * outage) does not count; `settled` means that the check itself has recorded the outcome.
 */
type AttemptOutcome = 'ok' | 'failed' | 'undecided' | 'settled'

/**
 * Checks a secret within its budgets (docs/authentication.md). The attempt is recorded in the database before the check
 * and settled after it, so parallel guesses on several instances never get more answers than the budget (SEC-16,
 * SEC-17).
 * @throws Throttled; Failure unavailable when the outcomes of other attempts stay unknown for too long; the errors of
 * `check`
 */
export type Throttle = <T>(attempt: Attempt, check: (entered: Entered) => Promise<{ outcome: AttemptOutcome; value: T }>) => Promise<T>

/**
 * The attempt is over budget. `userId` is for the audit log; the caller does not learn whether such a user exists
 * (SEC-18). `answerAt` (by `performance.now`) is the time at which to respond, if the response must not reveal whether
 * there was a check.
 */
export class Throttled extends Failure {
  constructor(
    seconds: number,
    readonly userId: string | null,
    readonly answerAt: number,
  ) {
    super('too_many_requests', translatable('Too many failed attempts. Try again in {seconds} seconds.', { seconds }), {
      details: { retryAfterS: seconds },
      headers: { 'retry-after': String(seconds) },
    })
  }
}

const maxAttemptWaitMs = 3000
const pollMs = 40

/** @param width how many passwords are hashed at a time (ROWHOUSE_ARGON2_CONCURRENCY) */
export function createThrottle(db: Db, width: number): Throttle {
  // Enough concurrent attempts to keep argon2 busy while others query the database, too few to overload the database.
  const gate = createSignInQueue(2 * width + 2)
  const keyedHash = createKeyedHash(db)
  const delay = createRefusalDelay(width)
  return async (attempt, check) => {
    const keys = keysOf(await keyedHash(), attempt)
    return gate(async () => {
      const entered = await enterAttempt(db, attempt, keys, delay.ms)
      const startedAt = performance.now()
      let outcome: AttemptOutcome = 'undecided'
      try {
        const checked = await check(entered)
        outcome = checked.outcome
        return checked.value
      } finally {
        delay.record(performance.now() - startedAt)
        if (outcome !== 'settled') await settleAttempt(db, entered, outcome)
      }
    })
  }
}

type Keys = { accountAddress: string; address: string; account: string }

type EntryRow = Omit<KnownUser, 'id'> & { id: string | null; verdict: string; retryAfterS: number }

// Also loads the user. If the user is changed meanwhile, the end of the attempt detects that.
const enterStatement = `select a.verdict, a.retry_after_s as "retryAfterS", u.id, u.email, u.name, u.role, u.kind, u.password_hash as "passwordHash",
  u.disabled_at is not null as disabled, ${timestampText('u.created_at')} as "createdAt", ${timestampText('u.last_login_at')} as "lastLoginAt"
  from rowhouse.begin_attempt($1::uuid, $2, $3, $4) a left join rowhouse.users u on u.email = $5`

async function enterAttempt(db: Db, { account, purpose }: Attempt, keys: Keys, delayMs: () => number): Promise<Entered> {
  const id = Bun.randomUUIDv7()
  // PostgreSQL stores no NUL, so no user's e-mail address has one.
  const email = purpose || account.includes('\0') ? null : account
  const deadline = performance.now() + maxAttemptWaitMs
  for (;;) {
    const [row] = await db.query<EntryRow>(enterStatement, [id, keys.accountAddress, keys.address, keys.account, email])
    const { verdict, retryAfterS, ...user } = row!
    const refusal = () => new Throttled(retryAfterS, user.id, performance.now() + delayMs())
    if (verdict === 'refused') throw refusal()
    if (verdict === 'go') {
      return { id, keys, user: user.id === null ? null : { ...user, id: user.id }, block: retryAfterS > 0 ? refusal() : null }
    }
    if (performance.now() > deadline) throw unavailable(translatable('Too many attempts are being checked right now.'), 1)
    await Bun.sleep(pollMs)
  }
}

/** SEC-22, SEC-23. */
const settleAttempt = (db: Db, { id, keys }: Entered, outcome: AttemptOutcome) =>
  db.query('select rowhouse.end_attempt($1::uuid, $2, $3)', [id, outcome, keys.accountAddress])

function keysOf(hmac: (text: string) => string, { account, address, purpose, isInSession }: Attempt): Keys {
  const network = networkOf(address)
  const kind = purpose ?? 'acct'
  return {
    accountAddress: hmac(`${kind}+ip|${account}|${network}`),
    address: hmac(isInSession ? `session|${account}` : `ip|${network}`),
    account: hmac(`${kind}|${account}`),
  }
}

/** SEC-26. */
export async function pruneThrottle(db: Db): Promise<void> {
  await db.query("delete from rowhouse.auth_throttle where at < now() - interval '1 day'")
  await db.query("delete from rowhouse.auth_known_addresses where last_success_at < now() - interval '90 days'")
}
