import { describe, expect, test } from 'bun:test'
import { json, password, startApp } from '../support/app'
import { bearer, makePerson } from '../support/people'
import { expectProblem } from '../support/problem'
import { signIn, signInAs } from '../support/session'

const app = await startApp()
const { db } = app.deps
const chosen = 'a few unrelated words'
let count = 0

type Invited = { user: { id: string; email: string }; inviteToken: string; expiresAt: string }
const invite = (): Promise<Invited> =>
  json(app.call('/api/v1/users', { as: 'admin', body: { email: `guest${count++}@example.org`, name: 'Guest', role: 'editor' } }))
const check = (inviteToken: string) => app.call('/auth/invite/check', { body: { inviteToken } })
const accept = (inviteToken: string, more: object = {}, headers: Record<string, string> = {}) =>
  app.call('/api/v1/auth/invite', { body: { inviteToken, password: chosen, ...more }, headers })
const login = (email: string, secret: string) => app.call('/auth/login', { body: { email, password: secret } })
const expireInvite = (id: string) =>
  db.query("update rowhouse.invites set expires_at = now() - interval '1 second' where user_id = $1::uuid", [id])
const patch = (id: string, body: object) => app.call(`/api/v1/users/${id}`, { as: 'admin', method: 'PATCH', body })

describe('an invitation', () => {
  test('says who it is for, as often as it is asked', async () => {
    const { user, inviteToken, expiresAt } = await invite()
    for (let n = 0; n < 2; n++) expect(await json(check(inviteToken))).toEqual({ email: user.email, name: 'Guest', expiresAt })
  })

  test('is accepted once: password, session, and nothing more', async () => {
    const { user, inviteToken } = await invite()
    expect((await login(user.email, chosen)).status).toBe(401)
    const response = await accept(inviteToken)
    expect(response.status).toBe(200)
    const [cookie, ...others] = response.headers.getSetCookie()
    expect(others).toEqual([])
    expect(cookie).toMatch(/^service_session=[A-Za-z0-9_-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(await json(response)).toMatchObject({ user: { id: user.id, email: user.email, name: 'Guest', role: 'editor' } })
    expect((await app.call('/auth/me', { headers: { cookie: cookie!.split(';')[0]! } })).status).toBe(200)
    expect((await login(user.email, chosen)).status).toBe(200)
    await expectProblem(await accept(inviteToken), 404, 'not_found')
    await expectProblem(await check(inviteToken), 404, 'not_found')
  })

  test('does not let the guest choose the address of somebody else as a name', async () => {
    const { inviteToken } = await invite()
    await expectProblem(await accept(inviteToken, { name: 'ceo@corp.example' }), 422, 'validation_failed')
    expect((await accept(inviteToken)).status).toBe(200)
  })

  test('lets the guest choose a name', async () => {
    const { inviteToken } = await invite()
    expect((await json(accept(inviteToken, { name: ' Grace ' }))).user.name).toBe('Grace')
  })

  test('ends the session that the browser had before', async () => {
    const cookie = await signInAs(app, 'viewer')
    const { inviteToken } = await invite()
    await accept(inviteToken, {}, { cookie })
    expect((await app.call('/auth/me', { headers: { cookie } })).status).toBe(401)
  })

  test('that is accepted ten times at once is accepted once', async () => {
    for (let round = 0; round < 3; round++) {
      const { user, inviteToken } = await invite()
      const attempts = Array.from({ length: 10 }, (_, n) => `unrelated words number ${n}`)
      const answers = await Promise.all(attempts.map((secret) => accept(inviteToken, { password: secret })))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)])
      const winner = attempts[answers.findIndex(({ status }) => status === 200)]!
      expect((await login(user.email, winner)).status).toBe(200)
      expect(await db.query('select 1 from rowhouse.sessions where user_id = $1::uuid', [user.id])).toHaveLength(2)
    }
  })

  test('is kept as a hash only', async () => {
    const { inviteToken } = await invite()
    const dump = JSON.stringify(await db.query('select * from rowhouse.invites'))
    for (const encoding of ['utf8', 'hex', 'base64'] as const) expect(dump).not.toContain(Buffer.from(inviteToken).toString(encoding))
    expect(dump).not.toContain(Buffer.from(inviteToken, 'base64url').toString('hex'))
  })

  test.each([
    ['too short', { password: '1234567' }],
    ['too long', { password: 'x'.repeat(257) }],
    ['common', { password: 'iloveyou1' }],
    ['the own address', { password: 'guest@example.org' }],
    ['the chosen name', { name: 'Ferdinand', password: 'ferdinand' }],
    ['ill-formed', { password: '\ud800 some more words' }],
    ['missing', { password: undefined }],
    ['accompanied by a role', { role: 'admin' }],
    ['accompanied by an address', { email: 'other@example.org' }],
  ])('with a password that is %s is refused and stays valid', async (_what, more) => {
    const { inviteToken } = await invite()
    const response = await accept(inviteToken, more)
    const text = JSON.stringify(await expectProblem(response, 422, 'validation_failed'))
    expect(text).not.toContain(inviteToken)
    expect((await check(inviteToken)).status).toBe(200)
  })
})

describe('is worth nothing: an invitation', () => {
  const cases: [string, () => Promise<string>][] = [
    ['that nobody made', async () => 'A'.repeat(43)],
    ['that is empty', async () => ''],
    ['that is something else', async () => "' or 1=1 --\0\ud800"],
    ['that is an API token', async () => app.tokens.admin],
    ['in another spelling', async () => (await invite()).inviteToken.toUpperCase()],
    ['with a space behind', async () => `${(await invite()).inviteToken} `],
    [
      'that is older than 72 hours',
      async () => {
        const { user, inviteToken } = await invite()
        await expireInvite(user.id)
        return inviteToken
      },
    ],
    [
      'of a user who was disabled',
      async () => {
        const { user, inviteToken } = await invite()
        await patch(user.id, { disabled: true })
        return inviteToken
      },
    ],
    [
      'of a user who was deleted',
      async () => {
        const { user, inviteToken } = await invite()
        await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'DELETE' })
        return inviteToken
      },
    ],
    [
      'that a newer one replaced',
      async () => {
        const { user, inviteToken } = await invite()
        await app.call(`/api/v1/users/${user.id}/reset`, { as: 'admin', method: 'POST' })
        return inviteToken
      },
    ],
  ]
  test.each(cases)('%s, and all look the same', async (_what, make) => {
    const inviteToken = await make()
    const told = async (response: Response) => ({ ...(await expectProblem(response, 404, 'not_found')), requestId: '' })
    const unknown = await told(await check('B'.repeat(43)))
    expect(await told(await check(inviteToken))).toEqual(unknown)
    const response = await accept(inviteToken)
    expect(response.headers.has('set-cookie')).toBe(false)
    expect(await told(response)).toEqual(unknown)
  })
})

describe('after a reset', () => {
  const reset = async (id: string) => (await json(app.call(`/api/v1/users/${id}/reset`, { as: 'admin', method: 'POST' }))).inviteToken

  test('the link sets a new password; the old one, and what was done with it, have ended', async () => {
    const { user, email, token } = await makePerson(app)
    const cookie = await signIn(app, email)
    const inviteToken = await reset(user.id)
    expect((await accept(inviteToken)).status).toBe(200)
    expect([(await login(email, password)).status, (await login(email, chosen)).status]).toEqual([401, 200])
    for (const headers of [{ cookie }, bearer(token)]) expect((await app.call('/auth/me', { headers })).status).toBe(401)
  })

  test('resetting and accepting at the same moment leaves one of the two, and nobody waits for ever', async () => {
    const { user, email } = await makePerson(app)
    for (let round = 0; round < 15; round++) {
      const inviteToken = await reset(user.id)
      const [accepted, again] = await Promise.all([
        accept(inviteToken),
        app.call(`/api/v1/users/${user.id}/reset`, { as: 'admin', method: 'POST' }),
      ])
      expect([200, 404]).toContain(accepted.status)
      expect(again.status).toBe(200)
      expect((await login(email, chosen)).status).toBe((await check((await json(again)).inviteToken)).status === 200 ? 401 : 200)
      await db.query('delete from rowhouse.auth_throttle')
    }
  })
})
