import { describe, expect, test } from 'bun:test'
import { beginSession, OutdatedPassword } from '../../../src/auth/accounts/sessions'
import { json, password, startApp } from '../../support/app'
import { behindProxy, guess, right, statusesOf, tally } from '../../support/guess'
import { expectProblem } from '../../support/problem'
import { signInAs } from '../../support/session'

const email = 'viewer@example.org'
/** Hashed as in earnest, not as cheaply as in other tests. */
const hashing = { ...behindProxy, ROWHOUSE_ARGON2_PASSES: '2' }
const weak = await Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 4096, timeCost: 1 })

async function startWith(passwordHash: string, environment: Record<string, string> = {}) {
  const app = await startApp({ ...hashing, ...environment })
  const store = (hash: string) => app.deps.db.query('update rowhouse.users set password_hash = $1 where email = $2', [hash, email])
  const stored = async () =>
    (await app.deps.db.query<{ hash: string }>('select password_hash as hash from rowhouse.users where email = $1', [email]))[0]!.hash
  await store(passwordHash)
  return { app, store, stored }
}

describe('a hash that is weaker than the settings ask for', () => {
  test('is replaced by the next sign-in, and not again by the one after', async () => {
    const { app, stored } = await startWith(weak, { ROWHOUSE_ARGON2_PASSES: '3' })
    expect((await guess(app, email, right)).status).toBe(200)
    const better = await stored()
    expect(better).toMatch(/^\$argon2id\$v=19\$m=19456,t=3,p=1\$/)
    expect((await guess(app, email, right)).status).toBe(200)
    expect(await stored()).toBe(better)
  })

  test('stays after a wrong password', async () => {
    const { app, stored } = await startWith(weak)
    expect((await guess(app, email)).status).toBe(401)
    expect(await stored()).toBe(weak)
  })

  test('is replaced once by twenty sign-ins at once, and all of them get in and stay in', async () => {
    // None of them waits for a place to hash in, since a queue that is too slow answers 503.
    const { app, stored } = await startWith(weak, { ROWHOUSE_ARGON2_CONCURRENCY: '20' })
    const { db } = app.deps
    await db.query('create table public.replaced (hash text)')
    await db.query(`create function public.note() returns trigger language plpgsql as
      $$ begin insert into public.replaced values (new.password_hash); return new; end $$`)
    await db.query(`create trigger note after update of password_hash on rowhouse.users for each row
      when (old.password_hash is distinct from new.password_hash) execute function public.note()`)
    const answers = await Promise.all(Array.from({ length: 20 }, () => guess(app, email, right)))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 20 })
    expect(await db.query('select hash from public.replaced')).toHaveLength(1)
    expect(await stored()).not.toBe(weak)
    const cookies = answers.map((answer) => answer.headers.getSetCookie()[0]!.split(';')[0]!)
    expect(tally(await statusesOf(cookies.map((cookie) => app.call('/auth/me', { headers: { cookie } }))))).toEqual({ 200: 20 })
    expect((await guess(app, email, right)).status).toBe(200)
  })
})

test('a damaged hash is a wrong password for the caller, and an error for the operator', async () => {
  const { app, stored } = await startWith('$argon2id$v=19$damaged')
  await expectProblem(await guess(app, email, right), 401, 'invalid_credentials')
  const { user } = await json(app.call(`/auth/me`, { as: 'viewer' }))
  expect(app.events).toContainEqual({ kind: 'hash_unreadable', userId: user.id })
  expect(app.events.map(({ kind }) => kind)).not.toContain('request_failed')
  expect(await stored()).toBe('$argon2id$v=19$damaged')
})

describe('no session outlives the password that it was begun with', () => {
  test.each([
    ['a new password', "update rowhouse.users set password_hash = 'another' where email = 'editor@example.org'"],
    ['no password any more', "update rowhouse.users set password_hash = null where email = 'editor@example.org'"],
    ['disabled', "update rowhouse.users set disabled_at = now() where email = 'editor@example.org'"],
    ['gone', "delete from rowhouse.users where email = 'editor@example.org'"],
  ])('the user is %s between check and session', async (_what, change) => {
    const { db } = (await startApp()).deps
    const [user] = await db.query<{ id: string; hash: string }>(
      "select id, password_hash as hash from rowhouse.users where email = 'editor@example.org'",
    )
    const begin = () => beginSession(db, user!.id, { address: '192.0.2.1', agent: '' }, undefined, user!.hash)
    expect(await begin()).toHaveLength(43)
    await db.query(change)
    expect(await begin().catch((error) => error)).toBeInstanceOf(OutdatedPassword)
  })

  test('however sign-ins and a change overlap, no session of the old password is left', async () => {
    const app = await startApp(hashing)
    for (let round = 0; round < 5; round++) {
      const [old, next] = [`the password of round ${round}`, `the password of round ${round + 1}`]
      if (round === 0) await changeTo(app, await signInAs(app, 'editor'), password, old)
      const first = await guess(app, 'editor@example.org', { secret: old })
      const cookie = first.headers.getSetCookie()[0]!.split(';')[0]!
      const [, ...answers] = await Promise.all([
        changeTo(app, cookie, old, next),
        ...Array.from({ length: 8 }, () => guess(app, 'editor@example.org', { secret: old })),
      ])
      const begun = answers.flatMap((answer) => answer.headers.getSetCookie().map((line) => line.split(';')[0]!))
      for (const other of begun) expect((await app.call('/auth/me', { headers: { cookie: other } })).status).toBe(401)
      await app.deps.db.query('truncate rowhouse.auth_throttle')
    }
  })
})

async function changeTo(app: Awaited<ReturnType<typeof startApp>>, cookie: string, currentPassword: string, newPassword: string) {
  const response = await app.call('/auth/password', { body: { currentPassword, newPassword }, headers: { cookie } })
  expect(response.status).toBe(204)
}

test('an account that is not there costs as much as a wrong password', async () => {
  const app = await startApp(hashing)
  // Processor time of this process, in which the hash is made: other programs do not lengthen it.
  const timed = async (address: string) => {
    const before = process.cpuUsage()
    expect((await guess(app, address)).status).toBe(401)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const times = { unknown: [] as number[], known: [] as number[] }
  await timed(email)
  await app.deps.db.query("update rowhouse.users set disabled_at = now() where email = 'editor@example.org'")
  for (let pair = 0; pair < 30; pair++) {
    times.unknown.push(await timed('nobody@example.org'))
    times.known.push(await timed(pair % 2 ? email : 'editor@example.org'))
    await app.deps.db.query('truncate rowhouse.auth_throttle')
  }
  // The hash is nearly all of it: without one, the ratio is about 0.05. The least is what other threads have not added to.
  const [unknown, known] = [Math.min(...times.unknown), Math.min(...times.known)]
  expect(Math.min(unknown, known) / Math.max(unknown, known)).toBeGreaterThan(0.5)
})
