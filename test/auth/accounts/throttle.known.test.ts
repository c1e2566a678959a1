import { beforeEach, describe, expect, test } from 'bun:test'
import { type Entered, Throttled } from '../../../src/auth/accounts/throttle'
import { startApp } from '../../support/app'
import { behindProxy, guess, guessInTurn, letPass, repeatLast, right, statusesOf, tally } from '../../support/guess'

const app = await startApp(behindProxy)
const { db, throttle } = app.deps
const [editor, viewer] = ['editor@example.org', 'viewer@example.org']
const [office, elsewhere] = ['198.51.100.1', '198.51.100.2']

beforeEach(async () => {
  await db.query('truncate rowhouse.auth_throttle, rowhouse.auth_known_addresses')
})

/**
 * The statuses of sign-ins with made-up accounts. One after the other: many at once are 503 on a machine that is busy
 * enough.
 */
async function strangers(times: number, from: string) {
  const statuses: number[] = []
  for (let n = 0; n < times; n++) statuses.push((await guess(app, `user${n}@example.org`, { from })).status)
  return tally(statuses)
}

/** The editor has signed in from the office before; then strangers use up the budget of its address. */
async function blockOffice() {
  expect((await guess(app, editor, { from: office, ...right })).status).toBe(200)
  expect(await strangers(1, office)).toEqual({ 401: 1 })
  await repeatLast(app, 19, { otherAccounts: true })
}

/**
 * Everything that tells one refusal from another, except the request id, the clock, and the seconds, which run down.
 */
async function bytesOf(response: Response) {
  const seconds = response.headers.get('retry-after')!
  const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id', 'retry-after'].includes(name))
  const text = (await response.text()).replace(/"requestId":"[^"]+"/, '"requestId":"…"').replaceAll(seconds, 'n')
  return { seconds: Number(seconds), bytes: JSON.stringify([response.status, headers, text]) }
}

describe('while an address is blocked', () => {
  test('the right password of a user who signed in from there before is let in', async () => {
    expect((await guess(app, editor, { from: office, ...right })).status).toBe(200)
    expect(await strangers(25, office)).toEqual({ 401: 20, 429: 5 })
    expect((await guess(app, editor, { from: office, ...right })).status).toBe(200)
    expect(tally(await statusesOf(Array.from({ length: 5 }, () => guess(app, editor, { from: office, ...right }))))).toEqual({ 200: 5 })
  })

  test('a user who never signed in from there is refused, whatever the password', async () => {
    await blockOffice()
    expect(await statusesOf([guess(app, viewer, { from: office, ...right }), guess(app, viewer, { from: office })])).toEqual([429, 429])
  })

  test('a success of more than 90 days ago is none', async () => {
    await blockOffice()
    await db.query("update rowhouse.auth_known_addresses set last_success_at = now() - interval '91 days'")
    expect((await guess(app, editor, { from: office, ...right })).status).toBe(429)
  })

  test('another address is not affected', async () => {
    await blockOffice()
    expect((await guess(app, editor, { from: elsewhere, ...right })).status).toBe(200)
    expect((await guess(app, viewer, { from: elsewhere, ...right })).status).toBe(200)
    expect((await guess(app, viewer, { from: elsewhere })).status).toBe(401)
  })

  test('a wrong guess at an account that signed in from there is answered as every other: same bytes, and the time of the block', async () => {
    await blockOffice()
    for (let time = 0; time < 2; time++) {
      const before = await bytesOf(await guess(app, 'nobody@example.org', { from: office }))
      const known = await bytesOf(await guess(app, editor, { from: office }))
      const after = await bytesOf(await guess(app, viewer, { from: office, ...right }))
      expect([known.bytes, after.bytes]).toEqual([before.bytes, before.bytes])
      expect(known.seconds).toBeWithin(after.seconds, before.seconds + 1)
    }
  })

  test('after five wrong guesses at such an account its right password is refused, too, until the hold is over', async () => {
    await blockOffice()
    expect(await guessInTurn(app, editor, 5, { from: office })).toEqual([429, 429, 429, 429, 429])
    const refused = await guess(app, editor, { from: office, ...right })
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    await letPass(app, 30)
    expect((await guess(app, editor, { from: office, ...right })).status).toBe(200)
  })

  test('sixty guesses at once at such an account, on two instances, are five checks', async () => {
    await blockOffice()
    const other = await startApp(behindProxy, { target: app.target, users: false })
    const answers = Array.from({ length: 60 }, (_, index) => guess(index % 2 ? app : other, editor, { from: office }))
    expect(tally(await statusesOf(answers))).toEqual({ 429: 60 })
    expect(await db.query('select is_pending from rowhouse.auth_throttle where is_exempt')).toEqual(
      Array.from({ length: 5 }, () => ({ is_pending: false })),
    )
    for (const each of [app, other]) expect((await guess(each, editor, { from: office, ...right })).status).toBe(429)
  })

  test('what is guessed wrong at such an account shows nowhere when the block is over', async () => {
    await blockOffice()
    await letPass(app, 10 * 60)
    const answers = Array.from({ length: 10 }, (_, index) => guess(app, index % 2 ? editor : viewer, { from: office }))
    expect(tally(await statusesOf(answers))).toEqual({ 429: 10 })
    await letPass(app, 5 * 60)
    for (const account of [editor, viewer]) {
      expect(await guessInTurn(app, account, 6, { from: office })).toEqual([401, 401, 401, 401, 401, 429])
    }
    expect(await strangers(15, office)).toEqual({ 401: 10, 429: 5 })
  })

  test('a refusal is answered later than a check would be, with and without one, and checks nothing', async () => {
    await blockOffice()
    const since = performance.now()
    const checked: Entered[] = []
    const check = async (entered: Entered) => {
      checked.push(entered)
      return { outcome: 'failed' as const, value: entered.block }
    }
    const refusal = await throttle({ account: viewer, address: office }, check).catch((error: unknown) => error as Throttled)
    expect(checked).toHaveLength(0)
    const wrong = await throttle({ account: editor, address: office }, check)
    expect(checked).toHaveLength(1)
    for (const answer of [refusal, wrong]) {
      expect(answer).toBeInstanceOf(Throttled)
      expect(answer!.answerAt - since).toBeGreaterThanOrEqual(100)
    }
  })

  test('the audit log has a wrong guess at such an account as failed, once, and others as throttled', async () => {
    await blockOffice()
    await db.query('truncate rowhouse.audit')
    await guess(app, editor, { from: office })
    await guess(app, viewer, { from: office })
    const entries = await db.query(
      'select u.email, a.result, a.count from rowhouse.audit a join rowhouse.users u on u.id = a.subject_id order by u.email',
    )
    expect(entries).toEqual([
      { email: editor, result: 'failed', count: 1 },
      { email: viewer, result: 'throttled', count: 1 },
    ])
  })
})

test('while an account is blocked everywhere, a wrong guess from where it was signed in to is answered as from anywhere', async () => {
  expect((await guess(app, editor, { from: office, ...right })).status).toBe(200)
  await guess(app, editor, { from: '192.0.2.1' })
  await repeatLast(app, 49, { otherAddresses: true })
  const before = await bytesOf(await guess(app, editor, { from: elsewhere }))
  const known = await bytesOf(await guess(app, editor, { from: office }))
  const after = await bytesOf(await guess(app, editor, { from: elsewhere }))
  expect([known.bytes, after.bytes]).toEqual([before.bytes, before.bytes])
  expect(known.seconds).toBeWithin(after.seconds, before.seconds + 1)
  expect((await guess(app, editor, { from: office, ...right })).status).toBe(200)
})
