import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Db } from '../db/open'
import { setup, setupCodes, users } from '../db/schema'
import { Failure } from '../errors'
import { presentUser, readEmail, readName, readPassword } from './accounts'
import type { SetupRequest, User } from './model'
import type { Passwords } from './passwords'
import { hashSecret, isSameHash } from './secret'

const setupDone = () => new Failure('setup_done', 'The service has been set up already. Sign in instead.')

const codeRequired = () =>
  new Failure('setup_code_required', 'Setting up needs the one-time code.', {
    hint: 'It is in the link that the start prints, in the file setup-code of the data directory, or in SETUP_CODE.',
  })

export async function isSetupRequired(db: Db): Promise<boolean> {
  const done = await db.query('select 1 from rowhouse.setup')
  return done.length === 0
}

/**
 * Makes the first administrator; one caller wins, for ever (SEC-67).
 * @throws Failure setup_done, setup_code_required, validation_failed; all of them before any hashing (SEC-25)
 */
export async function completeSetup(db: Db, passwords: Passwords, input: SetupRequest): Promise<User> {
  if (!(await isSetupRequired(db))) throw setupDone()
  if (!(await isRightCode(db, input.code))) throw codeRequired()
  const email = readEmail(input.email)
  const name = input.name?.trim() ? readName(input.name) : email.split('@')[0]!
  const passwordHash = await passwords.hash(readPassword(input.password))
  return db.orm.transaction(async (tx) => {
    const won = await tx.insert(setup).values({}).onConflictDoNothing().returning()
    if (won.length === 0) throw setupDone()
    await tx.delete(setupCodes)
    const [row] = await tx.insert(users).values({ id: Bun.randomUUIDv7(), email, name, role: 'admin', passwordHash }).returning()
    return presentUser(row!)
  })
}

async function isRightCode(db: Db, code: string | undefined): Promise<boolean> {
  if (!code) return false
  const known = await db.orm.select().from(setupCodes)
  return known.map(({ codeHash }) => isSameHash(codeHash, hashSecret(code))).includes(true)
}

/**
 * Makes this start's code known to the database, so that every instance accepts it, and leaves it in `<data>/setup-code` (0600).
 * The same file is used again by later starts. With SETUP_CODE, that one alone is valid.
 * @returns the code, or null when the service has been set up
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

/** Without a place to write, as in a read-only container, the code is in the log alone. */
function writeCode(path: string, code: string) {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${code}\n`, { mode: 0o600 })
    chmodSync(path, 0o600)
  } catch {}
}

/** The code is worth nothing any more; its file need not lie about. */
export const forgetSetupCode = (dataDir: string) => rmSync(join(dataDir, 'setup-code'), { force: true })

const readCode = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim() || null : null)
