import { beforeEach, describe, expect, test } from 'bun:test'
import { pruneThrottle } from '../../../src/auth/accounts/throttle'
import { json, password, startApp } from '../../support/app'
import { behindProxy, guess, guessInTurn, letPass, repeatLast, right, statusesOf, tally } from '../../support/guess'
import { expectProblem } from '../../support/problem'
import { signInAs } from '../../support/session'

const app = await startApp(behindProxy)
const { db } = app.deps
const [editor, viewer] = ['editor@example.org', 'viewer@example.org']
const [home, away] = ['198.51.100.1', '198.51.100.2']
const remembered = async () => (await db.query<{ n: string }>('select count(*)::text as n from rowhouse.auth_throttle'))[0]!.n

beforeEach(async () => {
  await db.query('truncate rowhouse.auth_throttle, rowhouse.auth_known_addresses')
})

describe('guesses at an account from one address', () => {
  test('get five answers, then 429 with the time to wait, also when they are right', async () => {
    expect(await guessInTurn(app, editor, 6, { from: home })).toEqual([401, 401, 401, 401, 401, 429])
    const response = await guess(app, editor, { from: home, ...right })
    const seconds = Number(response.headers.get('retry-after'))
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(seconds).toBeWithin(25, 31)
    expect((await expectProblem(response, 429, 'too_many_requests')).details).toEqual({ retryAfterS: seconds })
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('look the same for an account that is not there', async () => {
    const answersFor = async (email: string, from: string) => {
      const answers: unknown[] = []
      for (let time = 0; time < 7; time++) {
        const response = await guess(app, email, { from })
        const { requestId: _, details, message, ...body } = await json(response)
        const headers = [...response.headers.keys()]
        answers.push({ status: response.status, body, headers, message: message.replace(/\d+/, 'n'), details: Object.keys(details ?? {}) })
      }
      return answers
    }
    expect(await answersFor('nobody@example.org', away)).toEqual(await answersFor(editor, home))
  })

  test.each([
    ['sixty at once', 0, 60, { 401: 5, 429: 55 }],
    ['sixty at once behind three', 3, 60, { 401: 2, 429: 58 }],
  ])('%s never get more answers than the budget has', async (_what, before, times, expected) => {
    await guessInTurn(app, editor, before, { from: home })
    const answers = Array.from({ length: times }, () => guess(app, editor, { from: home }))
    expect(tally(await statusesOf(answers))).toEqual(expected)
  })

  test.each([
    [5, 30],
    [6, 60],
    [7, 120],
    [8, 240],
    [9, 480],
    [10, 900],
    [15, 900],
  ])('after %d wrong ones wait %d s', async (failures, seconds) => {
    await guess(app, editor, { from: home })
    await repeatLast(app, failures - 1)
    await letPass(app, seconds > 600 ? 0 : seconds - 5)
    const { headers, status } = await guess(app, editor, { from: home, ...right })
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeWithin(seconds > 600 ? 890 : 1, seconds > 600 ? 901 : 6)
    await letPass(app, seconds > 600 ? 900 : 5)
    expect((await guess(app, editor, { from: home, ...right })).status).toBe(200)
  })

  test('that are wrong again after the wait get one answer and twice the wait', async () => {
    await guessInTurn(app, editor, 5, { from: home })
    await letPass(app, 30)
    const answers = Array.from({ length: 10 }, () => guess(app, editor, { from: home }))
    expect(tally(await statusesOf(answers))).toEqual({ 401: 1, 429: 9 })
    expect(Number((await guess(app, editor, { from: home })).headers.get('retry-after'))).toBeWithin(55, 61)
  })

  test('are forgotten after a quarter of an hour', async () => {
    await guessInTurn(app, editor, 5, { from: home })
    await letPass(app, 15 * 60)
    expect(await guessInTurn(app, editor, 6, { from: home })).toEqual([401, 401, 401, 401, 401, 429])
  })

  test('that are refused do not count', async () => {
    await guessInTurn(app, editor, 5, { from: home })
    await statusesOf(Array.from({ length: 30 }, () => guess(app, editor, { from: home })))
    expect(await remembered()).toBe('5')
    await letPass(app, 30)
    expect((await guess(app, editor, { from: home, ...right })).status).toBe(200)
  })

  test('stop nobody who comes from elsewhere or asks for another account', async () => {
    await guessInTurn(app, editor, 6, { from: home })
    expect((await guess(app, editor, { from: away, ...right })).status).toBe(200)
    expect((await guess(app, viewer, { from: home, ...right })).status).toBe(200)
  })
})

describe('right passwords', () => {
  test.each([
    ['twenty at once', 0, 20],
    ['twenty at once behind four wrong ones', 4, 20],
  ])('%s all get in', async (_what, before, times) => {
    await guessInTurn(app, editor, before, { from: home })
    const answers = Array.from({ length: times }, () => guess(app, editor, { from: home, ...right }))
    expect(tally(await statusesOf(answers))).toEqual({ 200: times })
    expect(await remembered()).toBe('0')
  })

  test('a hundred from one address, one after the other, are no attack', async () => {
    expect(tally(await guessInTurn(app, editor, 100, { from: home, ...right }))).toEqual({ 200: 100 })
  })

  test('forget the wrong ones for this account from this address, and no others', async () => {
    await guessInTurn(app, editor, 4, { from: home })
    await guessInTurn(app, viewer, 4, { from: home })
    await guessInTurn(app, editor, 4, { from: away })
    await guess(app, editor, { from: home, ...right })
    expect(await remembered()).toBe('8')
    expect(await guessInTurn(app, viewer, 2, { from: home })).toEqual([401, 429])
    expect(await guessInTurn(app, editor, 2, { from: away })).toEqual([401, 429])
    expect(await guessInTurn(app, editor, 6, { from: home })).toEqual([401, 401, 401, 401, 401, 429])
  })
})

describe('an address', () => {
  test('gets twenty answers in a quarter of an hour, whatever the accounts', async () => {
    const answers = Array.from({ length: 60 }, (_, index) => guess(app, `user${index}@example.org`, { from: home }))
    expect(tally(await statusesOf(answers))).toEqual({ 401: 20, 429: 40 })
    const refused = await guess(app, editor, { from: home, ...right })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^8\d\d|900$/)])
    expect((await guess(app, editor, { from: away, ...right })).status).toBe(200)
    await letPass(app, 15 * 60)
    expect((await guess(app, editor, { from: home, ...right })).status).toBe(200)
  })
})

describe('a password change in a session', () => {
  const change = (cookie: string, currentPassword: string) =>
    app.call('/auth/password', { body: { currentPassword, newPassword: password }, headers: { cookie, 'x-forwarded-for': home } })

  test('is not refused for what strangers guess from the same address', async () => {
    const cookie = await signInAs(app, 'editor')
    await statusesOf(Array.from({ length: 25 }, (_, index) => guess(app, `user${index}@example.org`, { from: home })))
    expect((await guess(app, editor, { from: home, ...right })).status).toBe(429)
    expect((await change(cookie, password)).status).toBe(204)
  })

  test('counts for its account only: what is guessed there holds up nobody else at the address', async () => {
    const cookie = await signInAs(app, 'editor')
    const answers: number[] = []
    for (let time = 0; time < 6; time++) answers.push((await change(cookie, 'a wrong password')).status)
    expect(answers).toEqual([403, 403, 403, 403, 403, 429])
    const others = Array.from({ length: 25 }, (_, index) => guess(app, `user${index}@example.org`, { from: home }))
    expect(tally(await statusesOf(others))).toEqual({ 401: 20, 429: 5 })
  })
})

describe('an account that is guessed at from everywhere', () => {
  test.each([
    ['fifty in an hour', 50, 16 * 60, 44 * 60],
    ['a hundred in a day', 100, 2 * 3600, 22 * 3600],
  ])('%s: only where its owner has been before can sign in', async (_what, failures, ageS, restS) => {
    expect((await guess(app, editor, { from: home, ...right })).status).toBe(200)
    await guess(app, editor, { from: '192.0.2.1' })
    await repeatLast(app, failures - 1, { otherAddresses: true })
    await letPass(app, ageS)
    const refused = await guess(app, editor, { from: away, ...right })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(2500, 3601)
    expect((await guess(app, editor, { from: home, ...right })).status).toBe(200)
    expect((await guess(app, viewer, { from: away, ...right })).status).toBe(200)
    await letPass(app, restS)
    expect((await guess(app, editor, { from: away, ...right })).status).toBe(200)
  })

  test('keeps its sessions and tokens', async () => {
    const cookie = await signInAs(app, 'editor')
    await guessInTurn(app, editor, 6)
    expect((await guess(app, editor, right)).status).toBe(429)
    expect((await app.call('/auth/me', { headers: { cookie } })).status).toBe(200)
    expect((await app.call('/auth/me', { as: 'editor' })).status).toBe(200)
  })
})

describe('a process that died while it checked', () => {
  test('leaves one attempt behind, which stops nobody', async () => {
    await guess(app, editor, { from: home })
    await db.query('update rowhouse.auth_throttle set is_pending = true')
    expect((await guess(app, editor, { from: home, ...right })).status).toBe(200)
  })

  test('leaves five behind: they count as wrong after ten seconds, and a right password clears them away', async () => {
    await guess(app, editor, { from: home })
    await repeatLast(app, 5, { isPending: true })
    await db.query('delete from rowhouse.auth_throttle where not is_pending')
    const startedAt = performance.now()
    const unsure = await guess(app, editor, { from: home, ...right })
    expect([unsure.status, Number(unsure.headers.get('retry-after')) > 0]).toEqual([503, true])
    expect(performance.now() - startedAt).toBeGreaterThan(2500)
    await letPass(app, 10)
    expect((await guess(app, editor, { from: home, ...right })).status).toBe(429)
    await letPass(app, 20)
    expect((await guess(app, editor, { from: home, ...right })).status).toBe(200)
    expect(await remembered()).toBe('0')
  })
})

test.each([
  [1, 4],
  [6, 14],
])(
  'with ROWHOUSE_ARGON2_CONCURRENCY=%d no more than %d attempts at a time are under way, and nobody waits in vain',
  async (width, most) => {
    const { throttle } = (await startApp({ ...behindProxy, ROWHOUSE_ARGON2_CONCURRENCY: String(width) }, { users: false })).deps
    const [isFull, hold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let [underWay, peak] = [0, 0]
    const check = async () => {
      peak = Math.max(peak, ++underWay)
      if (underWay === most) isFull.resolve()
      await hold.promise
      underWay--
      return { outcome: 'failed', value: 'checked' } as const
    }
    // Nothing of this waits for a clock: no check ends before as many as may be are under way.
    const attempts = Array.from({ length: most + 6 }, (_, index) =>
      throttle({ account: `user${index}@example.org`, address: `203.0.113.${index}` }, check),
    )
    await isFull.promise
    hold.resolve()
    expect(await Promise.all(attempts)).toEqual(attempts.map(() => 'checked'))
    expect(peak).toBe(most)
  },
)

test('a wrong current password counts like a wrong sign-in, and the other way round', async () => {
  const email = 'admin@example.org'
  const cookie = await signInAs(app, 'admin')
  const change = (currentPassword: string) =>
    app.call('/auth/password', { body: { currentPassword, newPassword: 'another long one' }, headers: { cookie } })
  await guessInTurn(app, email, 2)
  for (let time = 0; time < 3; time++) await expectProblem(await change('a wrong password'), 403, 'wrong_password')
  await expectProblem(await change(password), 429, 'too_many_requests')
  expect((await guess(app, email, right)).status).toBe(429)
  await letPass(app, 30)
  expect((await change(password)).status).toBe(204)
})

test('what is old is swept; what still counts is not', async () => {
  await guess(app, editor, { from: home, ...right })
  await guess(app, editor, { from: home })
  await guess(app, viewer, { from: away, ...right })
  await letPass(app, 25 * 3600)
  await guess(app, viewer, { from: home })
  await db.query(
    "update rowhouse.auth_known_addresses set last_success_at = now() - interval '91 days' where ctid = (select min(ctid) from rowhouse.auth_known_addresses)",
  )
  await pruneThrottle(db)
  expect(await remembered()).toBe('1')
  expect(await db.query('select 1 from rowhouse.auth_known_addresses')).toHaveLength(1)
})
