import { describe, expect, test } from 'bun:test'
import { beginSession, pruneSessions } from '../../../src/auth/accounts/sessions'
import { json, password, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import { expire, signIn, signInAs } from '../../support/session'

const app = await startApp()
const { db } = app.deps
const me = (cookie: string) => app.call('/auth/me', { headers: { cookie } })
const statusOf = async (cookie: string) => (await me(cookie)).status
const logout = (headers: Record<string, string>) => app.call('/api/v1/auth/logout', { method: 'POST', headers })
const userId = async (email: string) => (await db.query<{ id: string }>('select id from rowhouse.users where email = $1', [email]))[0]!.id

describe('signing in', () => {
  test('each time gives another session, and both live', async () => {
    const [one, two] = [await signInAs(app, 'editor'), await signInAs(app, 'editor')]
    expect(one).not.toBe(two)
    expect([await statusOf(one), await statusOf(two)]).toEqual([200, 200])
  })

  test('again in the same browser ends its earlier session, and no other', async () => {
    const [laptop, phone] = [await signInAs(app, 'editor'), await signInAs(app, 'editor')]
    const renewed = await signIn(app, 'editor@example.org', { cookie: laptop })
    expect([await statusOf(laptop), await statusOf(renewed), await statusOf(phone)]).toEqual([401, 200, 200])
  })

  test('as somebody else in the same browser ends the first user’s session', async () => {
    const first = await signInAs(app, 'viewer')
    const second = await signIn(app, 'editor@example.org', { cookie: first })
    expect(await statusOf(first)).toBe(401)
    expect(await json(me(second))).toMatchObject({ user: { email: 'editor@example.org' } })
  })

  test('never adopts a value that the browser made up', async () => {
    const invented = `service_session=${'B'.repeat(43)}`
    expect(await signIn(app, 'editor@example.org', { cookie: invented })).not.toBe(invented)
    expect(await statusOf(invented)).toBe(401)
  })

  test.each([
    'service_session={"a":1}',
    'service_session=',
    'service_session=%E0%A4%A',
    `service_session=${'x'.repeat(8000)}`,
    '__proto__=1',
  ])('succeeds in spite of the cookie %p', async (cookie) => {
    expect(await statusOf(await signIn(app, 'editor@example.org', { cookie }))).toBe(200)
  })

  test('with a wrong password leaves the browser’s session alone', async () => {
    const cookie = await signInAs(app, 'editor')
    const response = await app.call('/auth/login', { body: { email: 'editor@example.org', password: `${password}!` }, headers: { cookie } })
    expect(response.status).toBe(401)
    expect(await statusOf(cookie)).toBe(200)
  })
})

describe('a cookie that is no session', () => {
  test.each([
    ['an object', '{"a":1}'],
    ['an array', '["a"]'],
    ['null', '%E0%A4%A'],
    ['in quotes', `"${'A'.repeat(43)}"`],
    ['of 8 KB', 'A'.repeat(8192)],
    ['__proto__', '__proto__'],
    ['empty', ''],
  ])('(%s) is a 401 that makes the browser forget it, and the service goes on', async (_what, value) => {
    const response = await app.call('/auth/me', { headers: { cookie: `service_session=${value}` } })
    await expectProblem(response, 401, 'invalid_session')
    expect(response.headers.getSetCookie()).toEqual(['service_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
    expect((await app.call('/auth/me', { as: 'viewer' })).status).toBe(200)
  })
})

describe('signing out', () => {
  test('ends the session and clears the cookie', async () => {
    const cookie = await signInAs(app, 'editor')
    const response = await logout({ cookie })
    expect(response.status).toBe(204)
    expect(response.headers.getSetCookie()).toEqual(['service_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
    expect(await response.text()).toBe('')
    const replay = await me(cookie)
    expect({ status: replay.status, code: (await json(replay)).code }).toEqual({ status: 401, code: 'invalid_session' })
    expect((await logout({ cookie })).status).toBe(401)
  })

  test('leaves the user’s other sessions and tokens alone', async () => {
    const [one, two] = [await signInAs(app, 'editor'), await signInAs(app, 'editor')]
    await logout({ cookie: one })
    expect(await statusOf(two)).toBe(200)
    expect((await app.call('/auth/me', { as: 'editor' })).status).toBe(200)
  })

  test('needs a session: a token cannot do it, and a stranger cannot', async () => {
    const cookie = await signInAs(app, 'editor')
    const byToken = await logout({ authorization: `Bearer ${app.tokens.editor}`, cookie })
    expect({ status: byToken.status, code: (await json(byToken)).code }).toEqual({ status: 403, code: 'session_required' })
    const byQuery = await app.call(`/auth/logout?token=${app.tokens.editor}`, { method: 'POST', headers: { cookie } })
    expect((await json(byQuery)).code).toBe('session_required')
    expect((await json(logout({}))).code).toBe('unauthenticated')
    expect(await statusOf(cookie)).toBe(200)
  })

  test('ten times at once ends it once, without an error', async () => {
    const cookie = await signInAs(app, 'editor')
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => logout({ cookie })))).map(({ status }) => status)
    expect(statuses).toContain(204)
    expect(statuses.filter((status) => status !== 204 && status !== 401)).toEqual([])
  })
})

describe('a session', () => {
  test('lasts seven days by the database’s clock, however much it is used', async () => {
    const cookie = await signInAs(app, 'admin')
    await me(cookie)
    const [row] = await db.query<{ seconds: string }>(
      "select extract(epoch from max(s.expires_at) - max(s.created_at)) as seconds from rowhouse.sessions s join rowhouse.users u on u.id = s.user_id where u.email = 'admin@example.org'",
    )
    expect(Math.round(Number(row!.seconds))).toBe(7 * 24 * 3600)
    await expire(app, cookie)
    expect(await statusOf(cookie)).toBe(401)
  })

  test('is kept as a hash only', async () => {
    const cookie = await signInAs(app, 'editor')
    const dump = JSON.stringify(await db.query('select * from rowhouse.sessions'))
    const secret = cookie.slice('service_session='.length)
    for (const encoding of ['utf8', 'hex', 'base64'] as const) expect(dump).not.toContain(Buffer.from(secret).toString(encoding))
    expect(dump).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
  })

  test('of a user who is disabled, and their token, end with the next request', async () => {
    const cookie = await signInAs(app, 'viewer')
    const byToken = () => app.call('/auth/me', { as: 'viewer' })
    await db.query("update rowhouse.users set disabled_at = now() where email = 'viewer@example.org'")
    expect((await json(me(cookie))).code).toBe('invalid_session')
    expect((await json(byToken())).code).toBe('invalid_token')
    await db.query("update rowhouse.users set disabled_at = null where email = 'viewer@example.org'")
    expect([await statusOf(cookie), (await byToken()).status]).toEqual([200, 200])
  })

  test('shows a changed role with the next request', async () => {
    const cookie = await signInAs(app, 'viewer')
    const make = () => app.call('/api/v1/tables', { body: { name: 'roles', columns: [] }, headers: { cookie } })
    expect((await make()).status).toBe(403)
    await db.query("update rowhouse.users set role = 'admin' where email = 'viewer@example.org'")
    expect((await make()).status).toBe(201)
    await db.query("update rowhouse.users set role = 'viewer' where email = 'viewer@example.org'")
  })

  test('is the user’s fifty-first: the oldest ends', async () => {
    const id = await userId('viewer@example.org')
    await db.query('delete from rowhouse.sessions where user_id = $1::uuid', [id])
    const secrets: string[] = []
    for (let n = 0; n < 51; n++) secrets.push(await beginSession(db, id, { address: '192.0.2.1', agent: 'test' }))
    const statuses = await Promise.all(secrets.slice(0, 3).map((secret) => statusOf(`service_session=${secret}`)))
    expect(statuses).toEqual([401, 200, 200])
    expect(await db.query('select 1 from rowhouse.sessions where user_id = $1::uuid', [id])).toHaveLength(50)
  })

  test('that has run out is swept', async () => {
    const [ended, running] = [await signInAs(app, 'editor'), await signInAs(app, 'editor')]
    await expire(app, ended)
    await pruneSessions(db, 0)
    expect(await db.query('select 1 from rowhouse.sessions where expires_at < now()')).toEqual([])
    expect(await statusOf(running)).toBe(200)
  })
})
