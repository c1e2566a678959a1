import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Db } from '../../db/pool/open'
import { setup, setupCodes, users } from '../../db/schema/tables'
import type { Deps } from '../../deps'
import { conflict, Failure } from '../../errors'
import { translatable } from '../../messages/message'
import { type AuditSource, commandSource, recordChange } from '../audit/audit-log'
import type { SetupRequest, User } from '../model'
import { networkOf } from '../network'
import { hashSecret, isSameHash } from '../secret'
import { readDisplayName, readEmail, toUser } from './accounts'
import { readNewPassword } from './password-rules'
import type { Passwords } from './passwords'

const setupDone = () => new Failure('setup_done', translatable('The service has been set up already. Sign in instead.'))

const codeRequired = () =>
  new Failure('setup_code_required', translatable('Setup requires the one-time code.'), {
    hint: translatable(
      'Find it in the link that the service prints at startup, in the file setup-code in the data directory, or in SETUP_CODE.',
    ),
  })

export async function isSetupRequired(db: Db): Promise<boolean> {
  const done = await db.query('select 1 from rowhouse.setup')
  return done.length === 0
}

/**
 * Creates the first administrator; only one caller ever succeeds (SEC-67). Guesses at the code are counted like guesses
 * at a password.
 * @throws Failure setup_done, setup_code_required, too_many_requests, validation_failed; each of them before any
 * hashing (SEC-25)
 */
export async function completeSetup(
  { db, passwords, throttle }: Pick<Deps, 'db' | 'passwords' | 'throttle'>,
  input: SetupRequest,
  source: AuditSource,
): Promise<User> {
  const { address } = source
  if (!(await isSetupRequired(db))) throw setupDone()
  // A missing code is not a guess.
  if (!input.code) throw codeRequired()
  // Each network counts separately: such a long code cannot be guessed even from many IPs, and strangers must not lock
  // its owner out.
  const refusal = await throttle({ account: networkOf(address), address, purpose: 'setup' }, async () => {
    if (await isRightCode(db, input.code!)) return { outcome: 'ok', value: null }
    // The caller who won has just used the code, so this was not a guess.
    if (!(await isSetupRequired(db))) return { outcome: 'undecided', value: setupDone() }
    return { outcome: 'failed', value: codeRequired() }
  })
  if (refusal) throw refusal
  return createFirstAdmin(db, passwords, input, source)
}

/**
 * For unattended setup: a person who can write the service's settings owns it, so no code is needed.
 * @returns null if the service was already set up
 */
export async function setUpUnattended(db: Db, passwords: Passwords, input: NewAdmin): Promise<User | null> {
  if (!(await isSetupRequired(db))) return null
  return createFirstAdmin(db, passwords, input, commandSource).catch((error) => {
    if (error instanceof Failure && error.kind === 'setup_done') return null
    throw error
  })
}

type NewAdmin = Pick<SetupRequest, 'email' | 'password' | 'name'>

async function createFirstAdmin(db: Db, passwords: Passwords, input: NewAdmin, source: AuditSource): Promise<User> {
  const email = readEmail(input.email)
  const name = input.name?.trim() ? readDisplayName(input.name, email) : email.split('@')[0]!
  const passwordHash = await passwords.hash(readNewPassword(input.password, { email, name }))
  return db.orm.transaction(async (tx) => {
    const won = await tx.insert(setup).values({}).onConflictDoNothing().returning()
    if (won.length === 0) throw setupDone()
    await tx.delete(setupCodes)
    const [row] = await tx
      .insert(users)
      .values({ id: Bun.randomUUIDv7(), email, name, role: 'admin', passwordHash })
      .onConflictDoNothing()
      .returning()
    // The account was created on the command line: someone who only has the setup code must not replace its password.
    if (!row) throw conflict(translatable('A user with this e-mail address already exists; choose another address.'))
    await recordChange(tx, { ...source, actorId: row.id }, 'setup')
    return toUser(row)
  })
}

/** An administrator created on the command line completes the setup. */
export async function closeSetup(db: Db): Promise<void> {
  await db.query('insert into rowhouse.setup default values on conflict do nothing')
  await db.query('delete from rowhouse.setup_codes')
}

async function isRightCode(db: Db, code: string): Promise<boolean> {
  const codes = await db.orm.select().from(setupCodes)
  return codes.map(({ codeHash }) => isSameHash(codeHash, hashSecret(code))).includes(true)
}

/**
 * Stores this start's code in the database, so that every instance accepts it, and in `<data>/setup-code` (0600), from
 * which later starts reuse it. If SETUP_CODE is set, only that code is valid.
 * @returns the code, or null if the service has been set up
 */
export async function offerSetup(db: Db, dataDir: string, given: string | undefined): Promise<string | null> {
  const path = join(dataDir, 'setup-code')
  if (!(await isSetupRequired(db))) {
    rmSync(path, { force: true })
    return null
  }
  const code = given ?? readCode(path) ?? randomBytes(20).toString('base64url')
  await db.orm.transaction(async (tx) => {
    if (given) await tx.delete(setupCodes)
    await tx
      .insert(setupCodes)
      .values({ codeHash: hashSecret(code) })
      .onConflictDoNothing()
  })
  writeCode(path, code)
  return code
}

/** Without a writable folder, as in a read-only container, the code is only printed in the log. */
function writeCode(path: string, code: string) {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${code}\n`, { mode: 0o600 })
    chmodSync(path, 0o600)
  } catch {}
}

/** The code is no longer valid, so its file is deleted. */
export const forgetSetupCode = (dataDir: string) => rmSync(join(dataDir, 'setup-code'), { force: true })

const readCode = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim() || null : null)
