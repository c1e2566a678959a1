import { describe, expect, test } from 'bun:test'
import { json, password, startApp } from '../support/app'
import { bearer, makePerson } from '../support/people'
import { expectProblem } from '../support/problem'
import { signIn } from '../support/session'

const app = await startApp()
const users = '/api/v1/users'
const create = (body: object) => app.call(users, { as: 'admin', body })
const patch = (id: string, body: object) => app.call(`${users}/${id}`, { as: 'admin', method: 'PATCH', body })
const remove = (id: string) => app.call(`${users}/${id}`, { as: 'admin', method: 'DELETE' })
const reset = (id: string) => app.call(`${users}/${id}/reset`, { as: 'admin', method: 'POST' })
const me = (headers: Record<string, string>) => app.call('/auth/me', { headers })
const codeOf = async (headers: Record<string, string>) => (await json(me(headers))).code
const sessionsOf = (id: string) => app.deps.db.query('select 1 from rowhouse.sessions where user_id = $1::uuid', [id])
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('a new user', () => {
  test('with a password can sign in at once', async () => {
    const response = await create({ email: ' Grace@Example.org ', role: 'editor', password })
    expect(response.status).toBe(201)
    const made = await json(response)
    const user = {
      id: expect.any(String),
      email: 'grace@example.org',
      name: 'grace',
      role: 'editor',
      kind: 'person',
      disabled: false,
      createdAt: time,
      groups: [],
    }
    expect(made).toEqual({ user: { ...user, lastLoginAt: null } })
    await signIn(app, 'grace@example.org')
    expect(await json(app.call(`${users}/${made.user.id}`, { as: 'admin' }))).toEqual({ ...user, lastLoginAt: time })
  })

  test('without a password is invited for 72 hours; the token stands in the fragment alone', async () => {
    const { user, inviteToken, inviteUrl, expiresAt } = await json(create({ email: 'invited@example.org', name: 'Ida', role: 'viewer' }))
    expect(user).toMatchObject({ name: 'Ida', role: 'viewer', lastLoginAt: null })
    expect(inviteToken).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(inviteUrl).toBe(`${app.url}/invite#token=${inviteToken}`)
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 72 * 3_600_000)).toBeLessThan(60_000)
    const page = await app.call(new URL(inviteUrl).pathname)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html;charset=utf-8'])
  })

  test('gets the link of the public address', async () => {
    const published = await startApp({ PUBLIC_URL: 'https://tables.example.org' })
    const { inviteUrl } = await json(published.call(users, { as: 'admin', body: { email: 'x@example.org', role: 'viewer' } }))
    expect(inviteUrl).toStartWith('https://tables.example.org/invite#token=')
  })

  test.each(['taken@example.org', 'TAKEN@example.org', '  Taken@Example.ORG\t'])(
    'with an address that is there already, as %p: 409',
    async (email) => {
      await create({ email: 'taken@example.org', role: 'viewer', password })
      await expectProblem(await create({ email, role: 'admin', password }), 409, 'conflict')
    },
  )

  test('that is made ten times at once is made once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ email: 'once@example.org', role: 'viewer' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  test.each([
    ['no role', { role: undefined }],
    ['an unknown role', { role: 'owner' }],
    ['no address', { email: undefined }],
    ['an address without @', { email: 'grace' }],
    ['an address with a NUL', { email: 'a\0@example.org' }],
    ['an address of 255 characters', { email: `${'a'.repeat(243)}@example.org` }],
    ['a short password', { password: '1234567' }],
    ['a common password', { password: 'password1' }],
    ['a password made of the address', { email: 'margaret@example.org', password: 'margaret' }],
    ['a name with a NUL', { name: 'a\0' }],
    ['the address of somebody else as the name', { name: 'Grace@example.org' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['an id of one’s own', { id: Bun.randomUUIDv7() }],
    ['a hash of one’s own', { passwordHash: '$argon2id$' }],
    ['a state', { disabled: true }],
    ['a time', { createdAt: '2020-01-01T00:00:00Z' }],
  ])('with %s is refused', async (_what, body) => {
    const response = await create({ email: 'refused@example.org', role: 'viewer', password, ...body })
    await expectProblem(response, 422, 'validation_failed')
  })
})

describe('users', () => {
  test('are listed by address, and nothing of their secrets is', async () => {
    const text = await (await app.call(users, { as: 'admin' })).text()
    const emails: string[] = JSON.parse(text).users.map(({ email }: { email: string }) => email)
    expect(emails).toEqual([...emails].sort())
    expect(emails).toContain('admin@example.org')
    expect(text).not.toMatch(/argon2|hash|secret/i)
  })

  test.each(['GET', 'PATCH', 'DELETE'])('%s of an unknown id: 404', async (method) => {
    for (const id of [Bun.randomUUIDv7(), '1', 'x', '%00', '__proto__']) {
      const body = method === 'PATCH' ? { name: 'x' } : undefined
      await expectProblem(await app.call(`${users}/${id}`, { as: 'admin', method, body }), 404, 'not_found')
    }
    for (const [path, verb] of [
      ['reset', 'POST'],
      ['sessions', 'DELETE'],
    ] as const) {
      await expectProblem(await app.call(`${users}/${Bun.randomUUIDv7()}/${path}`, { as: 'admin', method: verb }), 404, 'not_found')
    }
  })

  test.each([
    ['nothing', {}],
    ['an address', { email: 'other@example.org' }],
    ['a password', { password: 'some other words' }],
    ['an id', { id: Bun.randomUUIDv7() }],
    ['an unknown role', { role: 'owner' }],
    ['no name', { name: ' ' }],
    ['a name that is the address of somebody else', { name: 'admin@example.org' }],
    ['null', { name: null }],
    ['a time instead of a flag', { disabled: '2020-01-01T00:00:00Z' }],
  ])('a change of %s is refused', async (_what, body) => {
    const { user } = await makePerson(app)
    await expectProblem(await patch(user.id, body), 422, 'validation_failed')
    expect(await json(app.call(`${users}/${user.id}`, { as: 'admin' }))).toMatchObject({ ...user, lastLoginAt: time })
  })

  test('may be changed in one thing and keep the others', async () => {
    const { user } = await makePerson(app)
    expect(await json(patch(user.id, { name: ' Grace H. ' }))).toMatchObject({ name: 'Grace H.', role: 'editor', disabled: false })
    expect(await json(patch(user.id, { role: 'viewer' }))).toMatchObject({ name: 'Grace H.', role: 'viewer', disabled: false })
    expect(await json(patch(user.id, { disabled: true }))).toMatchObject({ name: 'Grace H.', role: 'viewer', disabled: true })
  })
})

describe('the very next request sees', () => {
  test('a new role', async () => {
    const { user, token } = await makePerson(app, 'viewer')
    const list = () => app.call(users, { headers: bearer(token) })
    expect((await list()).status).toBe(403)
    await patch(user.id, { role: 'admin' })
    expect((await list()).status).toBe(200)
    await patch(user.id, { role: 'editor' })
    expect((await list()).status).toBe(403)
  })

  test('that the user is disabled; enabled again, their tokens work and their sessions are gone', async () => {
    const { user, token, email } = await makePerson(app)
    const cookie = await signIn(app, email)
    await patch(user.id, { disabled: true })
    expect([await codeOf({ cookie }), await codeOf(bearer(token))]).toEqual(['invalid_session', 'invalid_token'])
    expect(await sessionsOf(user.id)).toEqual([])
    expect((await app.call('/auth/login', { body: { email, password } })).status).toBe(401)
    await patch(user.id, { disabled: false })
    expect([(await me({ cookie })).status, (await me(bearer(token))).status]).toEqual([401, 200])
    await signIn(app, email)
  })

  test('that the user is gone, with tokens and sessions', async () => {
    const { user, token, email } = await makePerson(app)
    const cookie = await signIn(app, email)
    expect((await remove(user.id)).status).toBe(204)
    expect([await codeOf({ cookie }), await codeOf(bearer(token))]).toEqual(['invalid_session', 'invalid_token'])
    await expectProblem(await remove(user.id), 404, 'not_found')
    expect((await create({ email, role: 'viewer', password })).status).toBe(201)
    expect(await codeOf(bearer(token))).toBe('invalid_token')
  })

  test('that the user was reset: password, sessions and tokens have ended', async () => {
    const { user, token, email } = await makePerson(app)
    const cookie = await signIn(app, email)
    expect(await json(reset(user.id))).toEqual({
      inviteToken: expect.stringMatching(/^[\w-]{43}$/),
      inviteUrl: expect.stringContaining('/invite#token='),
      expiresAt: time,
    })
    expect([await codeOf({ cookie }), await codeOf(bearer(token))]).toEqual(['invalid_session', 'invalid_token'])
    expect((await app.call('/auth/login', { body: { email, password } })).status).toBe(401)
  })

  test('that the user is disabled, and cannot be reset until enabled again: the link would be invalid', async () => {
    const { user, token } = await makePerson(app)
    await patch(user.id, { disabled: true })
    const { message } = await expectProblem(await reset(user.id), 409, 'conflict')
    expect(message).toBe('This user is disabled; enable them first.')
    await patch(user.id, { disabled: false })
    expect((await me(bearer(token))).status).toBe(200)
    const { inviteToken } = await json(reset(user.id))
    expect((await app.call('/auth/invite/check', { body: { inviteToken } })).status).toBe(200)
  })

  test('that an administrator ended the sessions, and leaves the tokens alone', async () => {
    const { user, token, email } = await makePerson(app)
    const cookies = [await signIn(app, email), await signIn(app, email)]
    expect((await app.call(`${users}/${user.id}/sessions`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
    for (const cookie of cookies) expect(await codeOf({ cookie })).toBe('invalid_session')
    expect((await me(bearer(token))).status).toBe(200)
  })

  test('that an administrator revoked a single token, which is listed without its value', async () => {
    const { user, token, email } = await makePerson(app)
    const cookie = await signIn(app, email)
    const headers = { cookie }
    const { token: other, id } = await json(app.call('/auth/tokens', { headers, body: { name: 'nightly' } }))
    const { tokens } = await json(app.call(`${users}/${user.id}/tokens`, { as: 'admin' }))
    expect(tokens).toContainEqual(expect.objectContaining({ id, name: 'nightly', scope: 'full' }))
    expect(JSON.stringify(tokens)).not.toContain(other)
    const revoke = (of: string) => app.call(`${users}/${of}/tokens/${id}`, { as: 'admin', method: 'DELETE' })
    const somebody = await makePerson(app)
    expect([(await revoke(somebody.user.id)).status, (await me(bearer(other))).status]).toEqual([404, 200])
    expect((await revoke(user.id)).status).toBe(204)
    expect([await codeOf(bearer(other)), (await me(bearer(token))).status, (await me({ cookie })).status]).toEqual([
      'invalid_token',
      200,
      200,
    ])
  })
})

describe('the names of the users', () => {
  const names = (headers: Record<string, string>) => app.call(`${users}/names`, { headers })

  test.each(['viewer', 'editor', 'admin'] as const)('are for every %s, without e-mail addresses and roles', async (as) => {
    const { user } = await json(create({ email: `${as}.named@example.org`, name: `Named ${as}`, role: 'viewer' }))
    await patch(user.id, { disabled: true })
    const { users: found } = await json(app.call(`${users}/names`, { as }))
    expect(found).toContainEqual({ id: user.id, name: `Named ${as}`, kind: 'person', disabled: true })
    for (const each of found) expect(Object.keys(each).sort()).toEqual(['disabled', 'id', 'kind', 'name'])
  })

  test('are not for a token that is limited in scope or tables', async () => {
    const table = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'things', columns: [] } }))
    for (const limit of [{ scope: 'read' }, { scope: 'write' }, { tables: [table.id] }]) {
      const { token } = await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'limited', ...limit } }))
      await expectProblem(await names(bearer(token)), 403, 'insufficient_scope')
    }
  })
})
