import { describe, expect, test } from 'bun:test'
import { pruneSessions } from '../../../src/auth/accounts/sessions'
import { json, password, startApp, type TestApp } from '../../support/app'
import { behindProxy } from '../../support/guess'
import { bearer, makePerson } from '../../support/people'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'
import { signIn } from '../../support/session'

const app = await startApp(behindProxy)
const { db } = app.deps

type Session = { id: string; lastSeenAt: string; expiresAt: string; current: boolean }
const list = async (headers: Record<string, string>): Promise<Session[]> => (await json(app.call('/auth/sessions', { headers }))).sessions
const end = (headers: Record<string, string>, id = '') => app.call(`/auth/sessions${id && `/${id}`}`, { method: 'DELETE', headers })
const statusOf = async (cookie: string, of: TestApp = app) => (await of.call('/auth/me', { headers: { cookie } })).status
const seenAgo = (on: TestApp, interval: string) =>
  on.deps.db.query(`update rowhouse.sessions set last_seen_at = now() - interval '${interval}'`)

describe('my sessions', () => {
  test('are listed with where and when, the newest first; the one that asks is marked', async () => {
    const { email } = await makePerson(app)
    const laptop = await signIn(app, email, { 'user-agent': 'Laptop/1.0', 'x-forwarded-for': '192.0.2.7' })
    const phone = await signIn(app, email, { 'user-agent': 'P'.repeat(400), 'x-forwarded-for': '2001:db8::9' })
    const response = await app.call('/api/v1/auth/sessions', { headers: { cookie: laptop } })
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const text = await response.text()
    const [newest, older, ...rest] = JSON.parse(text).sessions
    expect(newest).toMatchObject({ address: '2001:db8::9', agent: 'P'.repeat(300), current: false })
    expect(older).toMatchObject({ address: '192.0.2.7', agent: 'Laptop/1.0', current: true })
    // The one that `makePerson` left.
    expect(rest).toHaveLength(1)
    expect(Object.keys(newest).sort()).toEqual(['address', 'agent', 'createdAt', 'current', 'expiresAt', 'id', 'lastSeenAt'])
    expect(Date.parse(newest.expiresAt) - Date.parse(newest.createdAt)).toBe(7 * 24 * 3_600_000)
    for (const cookie of [laptop, phone]) expect(text).not.toContain(cookie.slice('service_session='.length))
  })

  test('have ids that open nothing', async () => {
    const { email } = await makePerson(app)
    const cookie = await signIn(app, email)
    const [{ id } = { id: '' }] = await list({ cookie })
    expect(await statusOf(`service_session=${id}`)).toBe(401)
    expect((await app.call('/auth/me', { headers: bearer(id) })).status).toBe(401)
  })

  test('can be ended one by one, also the one that asks', async () => {
    const { email } = await makePerson(app)
    const [mine, other] = [await signIn(app, email), await signIn(app, email)]
    const [newest, older] = await list({ cookie: mine })
    expect((await end({ cookie: mine }, newest!.id)).status).toBe(204)
    expect([await statusOf(mine), await statusOf(other)]).toEqual([200, 401])
    await expectProblem(await end({ cookie: mine }, newest!.id), 404, 'not_found')
    expect((await end({ cookie: mine }, older!.id)).status).toBe(204)
    expect(await statusOf(mine)).toBe(401)
  })

  test('can all be ended but the one that asks; with a token, all', async () => {
    const { email, token } = await makePerson(app)
    const [mine, ...others] = [await signIn(app, email), await signIn(app, email), await signIn(app, email)]
    expect((await end({ cookie: mine! })).status).toBe(204)
    expect([await statusOf(mine!), ...(await Promise.all(others.map((cookie) => statusOf(cookie))))]).toEqual([200, 401, 401])
    expect(await list({ cookie: mine! })).toHaveLength(1)
    expect((await list(bearer(token))).map(({ current }) => current)).toEqual([false])
    expect((await end(bearer(token))).status).toBe(204)
    expect([await statusOf(mine!), (await app.call('/auth/me', { headers: bearer(token) })).status]).toEqual([401, 200])
  })

  test('are nobody else’s business: another’s looks like none at all', async () => {
    const [one, two] = [await makePerson(app), await makePerson(app, 'admin')]
    const cookie = await signIn(app, one.email)
    const [{ id } = { id: '' }] = await list({ cookie })
    const told = async (response: Response) => ({ ...(await expectProblem(response, 404, 'not_found')), requestId: '' })
    const unknown = await told(await end(bearer(two.token), Bun.randomUUIDv7()))
    expect(await told(await end(bearer(two.token), id))).toEqual(unknown)
    expect(await list(bearer(two.token))).toHaveLength(1)
    expect(await statusOf(cookie)).toBe(200)
  })

  test('are at most fifty: the fifty-first sign-in ends the oldest', async () => {
    const { email, user } = await makePerson(app)
    const first = await signIn(app, email)
    await db.query(
      'delete from rowhouse.sessions where user_id = $1::uuid and id not in (select id from rowhouse.sessions order by created_at desc limit 1)',
      [user.id],
    )
    await db.query(
      `insert into rowhouse.sessions (id, secret_hash, user_id, expires_at, address, agent)
       select gen_random_uuid(), 'filler ' || n, $1::uuid, now() + interval '1 day', '', '' from generate_series(1, 49) n`,
      [user.id],
    )
    expect(await statusOf(first)).toBe(200)
    const last = await signIn(app, email)
    expect([await statusOf(first), await statusOf(last)]).toEqual([401, 200])
    expect(await list({ cookie: last })).toHaveLength(50)
  })
})

describe('a session that is used', () => {
  test('is seen at most once a minute, and does not last longer for it', async () => {
    const { email } = await makePerson(app)
    const cookie = await signIn(app, email)
    const [before] = await list({ cookie })
    await seenAgo(app, '50 seconds')
    await statusOf(cookie)
    await Bun.sleep(50)
    const [[kept]] = [await list({ cookie })]
    expect(Date.parse(kept!.lastSeenAt)).toBeLessThan(Date.parse(before!.lastSeenAt))
    await seenAgo(app, '61 seconds')
    await statusOf(cookie)
    await until('it was seen', async () => (await list({ cookie }))[0]!.lastSeenAt >= before!.lastSeenAt)
    const [after] = await list({ cookie })
    expect(after!.expiresAt).toBe(before!.expiresAt)
  })

  test('cannot bring itself back from a sign-out that happens meanwhile (SEC-31)', async () => {
    const { email } = await makePerson(app)
    for (let round = 0; round < 20; round++) {
      const cookie = await signIn(app, email)
      await seenAgo(app, '2 minutes')
      const uses = Array.from({ length: 8 }, () => statusOf(cookie))
      const out = await app.call('/auth/logout', { method: 'POST', headers: { cookie } })
      expect(out.status).toBe(204)
      expect(await statusOf(cookie)).toBe(401)
      await Promise.all(uses)
      await Bun.sleep(5)
      expect(await statusOf(cookie)).toBe(401)
    }
    expect(app.events.filter(({ kind }) => kind === 'background_failed')).toEqual([])
  })
})

describe('ROWHOUSE_SESSION_IDLE_TIMEOUT', async () => {
  const idle = await startApp({ ROWHOUSE_SESSION_IDLE_TIMEOUT: '1800500ms' })

  test('off, as it is by default, lets a session rest', async () => {
    const { email } = await makePerson(app)
    const cookie = await signIn(app, email)
    await seenAgo(app, '6 days')
    expect(await statusOf(cookie)).toBe(200)
  })

  test('ends one that was left alone for longer, and says so like any other end', async () => {
    const [cookie, other] = [await signIn(idle, 'editor@example.org'), await signIn(idle, 'editor@example.org')]
    await seenAgo(idle, '29 minutes')
    expect(await statusOf(cookie, idle)).toBe(200)
    const seen = "select 1 from rowhouse.sessions where last_seen_at > now() - interval '1 minute'"
    await until('it was seen', async () => (await idle.deps.db.query(seen)).length === 1)
    // Only the first one was used, and so was seen again.
    await idle.deps.db.query("update rowhouse.sessions set last_seen_at = last_seen_at - interval '2 minutes'")
    const response = await idle.call('/auth/me', { headers: { cookie: other } })
    await expectProblem(response, 401, 'invalid_session')
    expect(response.headers.get('set-cookie')).toBe('service_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax')
    expect((await json(idle.call('/auth/sessions', { headers: { cookie } }))).sessions).toHaveLength(1)
  })

  // Other sessions may still be noted as seen, by requests of the tests above.
  const newestSeen = `select 1 from rowhouse.sessions where last_seen_at > now() - interval '28 minutes'
    and created_at = (select max(created_at) from rowhouse.sessions)`

  test('does not wait for a page that only follows changes, which nobody may be looking at', async () => {
    const cookie = await signIn(idle, 'editor@example.org')
    await seenAgo(idle, '29 minutes')
    const { cursor } = await json(idle.call('/api/v1/changes?wait=0', { headers: { cookie } }))
    await json(idle.call(`/api/v1/changes?wait=1&after=${encodeURIComponent(cursor)}`, { headers: { cookie } }))
    const stream = await idle.call('/api/v1/changes', { headers: { cookie } })
    await stream.body!.cancel()
    expect(await idle.deps.db.query(newestSeen)).toEqual([])
    // The same request by another route does count, so that what is asked for here would have been written.
    expect(await statusOf(cookie, idle)).toBe(200)
    await until('it was seen', async () => (await idle.deps.db.query(newestSeen)).length === 1)
  })

  test.each([
    ['a header', { 'rowhouse-background': '1' }],
    ['an empty header', { 'rowhouse-background': '' }],
    ['a picture', { 'sec-fetch-dest': 'image' }],
  ])('is not used by a request that says that nobody has caused it, or by a picture: %s', async (_how, headers) => {
    const cookie = await signIn(idle, 'editor@example.org')
    await seenAgo(idle, '29 minutes')
    expect((await idle.call('/auth/me', { headers: { cookie, ...headers } })).status).toBe(200)
    expect(await idle.deps.db.query(newestSeen)).toEqual([])
    await seenAgo(idle, '31 minutes')
    await expectProblem(await idle.call('/auth/me', { headers: { cookie, ...headers } }), 401, 'invalid_session')
  })

  test('is used by a write, whatever the write says of itself', async () => {
    const cookie = await signIn(idle, 'editor@example.org')
    await seenAgo(idle, '29 minutes')
    const headers = { cookie, 'rowhouse-background': '1', 'sec-fetch-dest': 'image' }
    await idle.call('/auth/sessions', { method: 'DELETE', headers })
    const seen = "select 1 from rowhouse.sessions where last_seen_at > now() - interval '28 minutes'"
    await until('it was seen', async () => (await idle.deps.db.query(seen)).length === 1)
  })

  test('sweeps what it ended', async () => {
    await signIn(idle, 'viewer@example.org')
    await seenAgo(idle, '31 minutes')
    const left = () => idle.deps.db.query('select 1 from rowhouse.sessions')
    await pruneSessions(idle.deps.db, 0)
    expect((await left()).length).toBeGreaterThan(0)
    await pruneSessions(idle.deps.db, idle.deps.config.sessionIdleTimeoutMs)
    expect(await left()).toEqual([])
  })

  test('does not touch tokens', async () => {
    expect((await idle.call('/auth/me', { as: 'editor' })).status).toBe(200)
  })
})

test('twenty sign-ins of one user at once: all get a session', async () => {
  const { email } = await makePerson(app)
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.call('/auth/login', { body: { email, password } })))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
})
