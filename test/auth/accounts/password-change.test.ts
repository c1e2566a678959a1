import { describe, expect, test } from 'bun:test'
import { json, password, startApp } from '../../support/app'
import { bearer, makePerson } from '../../support/people'
import { expectProblem } from '../../support/problem'
import { signIn } from '../../support/session'

const app = await startApp()
const next = 'some other unrelated words'

type Change = { currentPassword?: unknown; newPassword?: unknown; revokeTokens?: unknown }
const change = (headers: Record<string, string>, body: Change = {}) =>
  app.call('/api/v1/auth/password', { body: { currentPassword: password, newPassword: next, ...body }, headers })
const statusOf = async (headers: Record<string, string>) => (await app.call('/auth/me', { headers })).status
const login = async (email: string, secret: string) => (await app.call('/auth/login', { body: { email, password: secret } })).status

describe('changing one’s password', () => {
  test('ends the other sessions; this one and the tokens go on', async () => {
    const { email, token } = await makePerson(app)
    const [mine, other] = [await signIn(app, email), await signIn(app, email)]
    const response = await change({ cookie: mine })
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 204, body: '' })
    expect([await statusOf({ cookie: mine }), await statusOf({ cookie: other }), await statusOf(bearer(token))]).toEqual([200, 401, 200])
    expect([await login(email, password), await login(email, next)]).toEqual([401, 200])
  })

  test('with revokeTokens ends the tokens too, and nobody else’s', async () => {
    const { email, token } = await makePerson(app)
    const cookie = await signIn(app, email)
    expect((await change({ cookie }, { revokeTokens: true })).status).toBe(204)
    expect([await statusOf({ cookie }), await statusOf(bearer(token)), await statusOf(bearer(app.tokens.editor))]).toEqual([200, 401, 200])
  })

  test('needs the current one: 403, and nothing ends', async () => {
    const { email, token } = await makePerson(app)
    const [cookie, other] = [await signIn(app, email), await signIn(app, email)]
    const problem = await expectProblem(
      await change({ cookie }, { currentPassword: 'not this one', revokeTokens: true }),
      403,
      'wrong_password',
    )
    expect(JSON.stringify(problem)).not.toContain('not this one')
    for (const headers of [{ cookie }, { cookie: other }, bearer(token)]) expect(await statusOf(headers)).toBe(200)
    expect(await login(email, password)).toBe(200)
  })

  test('may be guessed at five times, then waits like a sign-in', async () => {
    const { email } = await makePerson(app)
    const cookie = await signIn(app, email)
    const guess = async () => (await change({ cookie }, { currentPassword: 'not this one' })).status
    expect([await guess(), await guess(), await guess(), await guess(), await guess(), await guess()]).toEqual([
      403, 403, 403, 403, 403, 429,
    ])
    const response = await change({ cookie })
    await expectProblem(response, 429, 'too_many_requests')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await statusOf({ cookie })).toBe(200)
  })

  test('cannot be done by a token, whatever lies beside it', async () => {
    const { email, token } = await makePerson(app)
    const cookie = await signIn(app, email)
    await expectProblem(await change(bearer(token)), 403, 'session_required')
    await expectProblem(await change({ ...bearer(token), cookie }), 403, 'session_required')
    await expectProblem(await change({}), 401, 'unauthenticated')
    expect(await login(email, password)).toBe(200)
  })

  test('cannot be done by another site', async () => {
    const { email } = await makePerson(app)
    const cookie = await signIn(app, email)
    await expectProblem(await change({ cookie, 'sec-fetch-site': 'cross-site' }), 403, 'csrf_rejected')
    expect(await login(email, password)).toBe(200)
  })

  test.each([
    ['too short', { newPassword: '1234567' }],
    ['too long', { newPassword: 'x'.repeat(257) }],
    ['common', { newPassword: 'sunshine1' }],
    ['the product’s name', { newPassword: 'Rowhouse2026' }],
    ['ill-formed', { newPassword: 'words and \ud800' }],
    ['missing', { newPassword: undefined }],
    ['a number', { newPassword: 12345678 }],
    ['for another user', { email: 'admin@example.org' }],
    ['with a flag that is none', { revokeTokens: 'yes' }],
  ])('to one that is %s is refused', async (_what, body) => {
    const { email } = await makePerson(app)
    const cookie = await signIn(app, email)
    await expectProblem(await change({ cookie }, body as Change), 422, 'validation_failed')
    expect(await login(email, password)).toBe(200)
  })

  test('to two others at the same moment: one of them holds', async () => {
    const { email } = await makePerson(app)
    const cookies = [await signIn(app, email), await signIn(app, email)]
    const wanted = ['the first unrelated words', 'the second unrelated words']
    const answers = await Promise.all(cookies.map((cookie, n) => change({ cookie }, { newPassword: wanted[n] })))
    const won = answers.findIndex(({ status }) => status === 204)
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect([await login(email, wanted[won]!), await login(email, wanted[1 - won]!)]).toEqual([200, 401])
    expect((await json(app.call('/auth/me', { headers: { cookie: cookies[won]! } }))).user.email).toBe(email)
  })
})
