import { createHmac, randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Db } from '../db/open'
import { Failure, unavailable } from '../errors'
import { createQueue } from './queue'

/** Who tries what from where. `account` is the normalised e-mail, or another name for the secret that is guessed. */
export type Attempt = { account: string; address: string }

/** How an attempt ended: `ok` forgets the failures of this account from this address, `failed` counts, `undecided` (busy, outage) does not. */
export type Outcome = 'ok' | 'failed' | 'undecided'

const longestWaitMs = 3000
const pollMs = 40

/**
 * Runs a check of a secret within the budgets of SECURITY.md section 4. The attempt is entered before the check and settled after it, in the
 * database, so parallel guesses over several instances never get more answers than the budget (SEC-16, SEC-17).
 * @throws Failure too_many_requests with Retry-After; unavailable when others' outcomes stay unknown for too long; and what `check` throws
 */
export async function throttled<T>(db: Db, attempt: Attempt, check: () => Promise<{ outcome: Outcome; value: T }>): Promise<T> {
  const keys = await keysOf(db, attempt)
  return gate(() => decide(db, keys, check))
}

/** Attempts that this process lets in at a time: enough to keep argon2 busy, too few to drown the database in questions. */
const gate = createQueue(8)

async function decide<T>(db: Db, keys: Keys, check: () => Promise<{ outcome: Outcome; value: T }>): Promise<T> {
  const id = Bun.randomUUIDv7()
  await enter(db, id, keys)
  let outcome: Outcome = 'undecided'
  try {
    const checked = await check()
    outcome = checked.outcome
    return checked.value
  } finally {
    await settle(db, id, keys, outcome)
  }
}

type Keys = { accountAddress: string; address: string; account: string }

async function enter(db: Db, id: string, keys: Keys) {
  const deadline = performance.now() + longestWaitMs
  for (;;) {
    const [answer] = await db.query<{ verdict: string; retry_after_s: number }>(
      'select * from rowhouse.begin_attempt($1::uuid, $2, $3, $4)',
      [id, keys.accountAddress, keys.address, keys.account],
    )
    if (answer!.verdict === 'go') return
    if (answer!.verdict === 'refused') throw tooMany(Number(answer!.retry_after_s))
    if (performance.now() > deadline) throw unavailable('Too many attempts are being checked at this moment.', 1)
    await Bun.sleep(pollMs)
  }
}

/** SEC-22, SEC-23. */
const settle = (db: Db, id: string, { accountAddress }: Keys, outcome: Outcome) =>
  db.query('select rowhouse.end_attempt($1::uuid, $2, $3)', [id, outcome, accountAddress])

const tooMany = (seconds: number) =>
  new Failure('too_many_requests', `Too many failed attempts. Try again in ${seconds} seconds.`, {
    details: { retryAfterS: seconds },
    headers: { 'retry-after': String(seconds) },
  })

const secrets = new WeakMap<Db, Promise<string>>()

/** The key of the HMACs: random, made once per database, the same for all instances. */
function secretOf(db: Db): Promise<string> {
  const known = secrets.get(db)
  if (known) return known
  const asked = db
    .query('insert into rowhouse.auth_secret (secret) values ($1) on conflict do nothing', [randomBytes(32).toString('base64url')])
    .then(() => db.query<{ secret: string }>('select secret from rowhouse.auth_secret'))
    .then(([row]) => row!.secret)
  secrets.set(db, asked)
  asked.catch(() => secrets.delete(db))
  return asked
}

async function keysOf(db: Db, { account, address }: Attempt): Promise<Keys> {
  const secret = await secretOf(db)
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  const network = networkOf(address)
  return { accountAddress: hmac(`acct+ip|${account}|${network}`), address: hmac(`ip|${network}`), account: hmac(`acct|${account}`) }
}

/** IPv4 by the whole address; IPv6 by /64, which is what one customer has (SEC-20). Mapped IPv4 has been unfolded by `http/peer.ts`. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const groups = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** SEC-26. */
export async function pruneThrottle(db: Db): Promise<void> {
  await db.query("delete from rowhouse.auth_throttle where at < now() - interval '1 day'")
  await db.query("delete from rowhouse.auth_known_addresses where last_success_at < now() - interval '90 days'")
}
