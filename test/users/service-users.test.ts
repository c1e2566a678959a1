import { describe, expect, test } from 'bun:test'
import { setUpUnattended } from '../../src/auth/accounts/setup'
import { commandSource } from '../../src/auth/audit/audit-log'
import { createUser, resetPassword } from '../../src/users/service'
import { json, password, startApp } from '../support/app'
import { bearer, makePerson } from '../support/people'
import { expectProblem } from '../support/problem'
import { settled } from '../support/rejection'
import { signIn } from '../support/session'

const app = await startApp()
const { db } = app.deps
const users = '/api/v1/users'
const create = (body: object) => app.call(users, { as: 'admin', body })
const newService = async (role = 'editor') => (await json(create({ kind: 'service', name: 'Nightly import', role }))).user
const tokensOf = (id: string) => `${users}/${id}/tokens`
const newToken = async (id: string, body: object = { name: 'cron' }) => json(app.call(tokensOf(id), { as: 'admin', body }))
const me = (token: string) => app.call('/auth/me', { headers: bearer(token) })

await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'orders', columns: [{ name: 'title', type: 'text' }] } }))

describe('a service user', () => {
  test('has a name, a role and an address that nobody has, and neither a password nor an invitation', async () => {
    const response = await create({ kind: 'service', name: ' Nightly import ', role: 'editor' })
    expect(response.status).toBe(201)
    const { user, ...more } = await json(response)
    expect(more).toEqual({})
    expect(user).toMatchObject({ kind: 'service', name: 'Nightly import', role: 'editor', disabled: false, lastLoginAt: null, groups: [] })
    expect(user.email).toMatch(/^service-[0-9a-f]{12}@service\.invalid$/)
    expect(await json(app.call(`${users}/${user.id}`, { as: 'admin' }))).toEqual(user)
    expect(await db.query('select from rowhouse.invites where user_id = $1::uuid', [user.id])).toHaveLength(0)
    expect((await json(app.call(`${users}/names`, { as: 'viewer' }))).users).toContainEqual({
      id: user.id,
      name: user.name,
      kind: 'service',
      disabled: false,
    })
  })

  test('may have the name of another one', async () => {
    const [one, two] = [await newService(), await newService()]
    expect([one.name, one.id === two.id]).toEqual([two.name, false])
  })

  test.each([
    ['without a name', {}, ['/name']],
    ['with an empty name', { name: ' ' }, ['/name']],
    ['with an address', { name: 'x', email: 'x@example.org' }, ['/email']],
    ['with a password', { name: 'x', password }, ['/password']],
    ['with all that a person has', { email: 'x@example.org', password }, ['/name', '/email', '/password']],
    ['of another kind', { name: 'x', kind: 'robot' }, ['/kind']],
  ])('%s is refused', async (_what, body, paths) => {
    const { errors } = await expectProblem(await create({ kind: 'service', role: 'viewer', ...body }), 422, 'validation_failed')
    expect(errors!.map(({ path }) => path)).toEqual(paths)
  })

  test('is renamed, gets another role and is disabled like a person, and does not become one', async () => {
    const { id } = await newService()
    const patch = (body: object) => app.call(`${users}/${id}`, { as: 'admin', method: 'PATCH', body })
    expect(await json(patch({ name: 'Hourly import', role: 'viewer' }))).toMatchObject({ name: 'Hourly import', role: 'viewer' })
    await expectProblem(await patch({ kind: 'person' }), 422, 'validation_failed')
    const { token } = await newToken(id)
    await patch({ disabled: true })
    expect((await me(token)).status).toBe(401)
    await patch({ disabled: false })
    expect((await me(token)).status).toBe(200)
    expect((await app.call(`${users}/${id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
    expect((await me(token)).status).toBe(401)
  })
})

describe('a service user cannot sign in:', () => {
  test('not with any password, answered as every wrong one', async () => {
    const { email } = await newService()
    for (const secret of [password, 'x']) {
      const answers = [email, 'nobody@example.org'].map((address) =>
        app.call('/auth/login', { body: { email: address, password: secret } }),
      )
      const [service, nobody] = await Promise.all(answers.map(json))
      expect({ ...service, requestId: '' }).toEqual({ ...nobody, requestId: '' })
      expect(service.code).toBe('invalid_credentials')
    }
  })

  test('not by a link or a new password, which are refused with a sentence', async () => {
    const { id, email } = await newService()
    const { token } = await newToken(id)
    const { message } = await expectProblem(await app.call(`${users}/${id}/reset`, { as: 'admin', method: 'POST' }), 409, 'conflict')
    expect(message).toBe('This is a service user: it has no password and signs in with its API tokens only.')
    expect(await settled(resetPassword(db, app.deps.passwords, email, password, commandSource))).toThrow(message)
    expect((await me(token)).status).toBe(200)
  })

  test('not by the database, which takes no password for one', async () => {
    const { id } = await newService()
    const set = (what: string) => db.query(`update rowhouse.users set ${what} where id = $1::uuid`, [id])
    expect(await settled(set(`password_hash = 'x'`))).toThrow('users_service')
  })

  test('nor by the setup, which is for another address', async () => {
    const fresh = await startApp({}, { users: false })
    const { user } = await createUser(fresh.deps.db, fresh.deps.passwords, { kind: 'service', name: 'First', role: 'admin' }, null)
    const setUp = (email: string) => setUpUnattended(fresh.deps.db, fresh.deps.passwords, { email, password })
    expect(await settled(setUp(user.email))).toThrow('choose another address')
    expect(await setUp('ada@example.org')).toMatchObject({ role: 'admin', kind: 'person' })
  })

  test('so it is no administrator who remains', async () => {
    const { id } = await newService('admin')
    const { token } = await newToken(id)
    const { user } = await json(app.call('/auth/me', { as: 'admin' }))
    const asService = (method: string, body?: object) => app.call(`${users}/${user.id}`, { method, body, headers: bearer(token) })
    await expectProblem(await asService('PATCH', { role: 'viewer' }), 409, 'conflict')
    await expectProblem(await asService('DELETE'), 409, 'conflict')
  })
})

describe('tokens of a service user', () => {
  test('are made by an administrator, shown once, and act as the service user', async () => {
    const service = await newService('viewer')
    const response = await app.call(tokensOf(service.id), { as: 'admin', body: { name: ' cron ', scope: 'read', tables: ['orders'] } })
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, expect.stringContaining('no-store')])
    const { token, ...shown } = await json(response)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(shown).toMatchObject({ name: 'cron', scope: 'read', tables: [expect.any(String)], expiresAt: null, lastUsedAt: null })
    expect(await json(me(token))).toMatchObject({ user: { ...service, groups: [] }, via: 'bearer', token: { name: 'cron' } })
    expect((await json(app.call(tokensOf(service.id), { as: 'admin' }))).tokens).toMatchObject([{ id: shown.id, name: 'cron' }])
    const records = '/api/v1/tables/orders/records'
    expect((await app.call(records, { headers: bearer(token) })).status).toBe(200)
    expect((await app.call(records, { headers: bearer(token), body: { title: 'x' } })).status).toBe(403)
    expect((await app.call(`${tokensOf(service.id)}/${shown.id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
    expect((await me(token)).status).toBe(401)
  })

  test('outlive the administrator, and the token by which they were made', async () => {
    const admin = await makePerson(app, 'admin')
    const { id } = await newService()
    const { token } = await json(app.call(tokensOf(id), { headers: bearer(admin.token), body: { name: 'lasting' } }))
    await app.call(`${users}/${admin.user.id}`, { as: 'admin', method: 'DELETE' })
    expect([(await me(admin.token)).status, (await me(token)).status]).toEqual([401, 200])
  })

  test('are noted in the audit log with the administrator who made and revoked them', async () => {
    const admin = await makePerson(app, 'admin')
    const { id } = await newService()
    const headers = bearer(admin.token)
    const made = await json(app.call(tokensOf(id), { headers, body: { name: 'cron' } }))
    await app.call(`${tokensOf(id)}/${made.id}`, { headers, method: 'DELETE' })
    const { entries } = await json(app.call(`/api/v1/audit?actor=${admin.user.id}`, { as: 'admin' }))
    expect(
      entries
        .filter(({ subjectId }: { subjectId: string }) => subjectId === made.id)
        .map(({ kind, credential }: Record<string, string>) => [kind, credential]),
    ).toEqual([
      ['token_revoked', 'bearer'],
      ['token_created', 'bearer'],
    ])
  })

  test('are not made for people, who make their own', async () => {
    const { user } = await makePerson(app)
    const { message } = await expectProblem(await app.call(tokensOf(user.id), { as: 'admin', body: { name: 'x' } }), 409, 'conflict')
    expect(message).toBe('People create their own API tokens. Administrators create only those of service users.')
    expect((await json(app.call(tokensOf(user.id), { as: 'admin' }))).tokens).toHaveLength(1)
    await expectProblem(await app.call(tokensOf(Bun.randomUUIDv7()), { as: 'admin', body: { name: 'x' } }), 404, 'not_found')
  })

  test('are made by nobody else', async () => {
    const { id } = await newService()
    const narrow = async (more: object) => (await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'narrow', ...more } }))).token
    const own = (await newToken(id)).token
    for (const [headers, status] of [
      [{}, 401],
      [bearer(app.tokens.viewer), 403],
      [bearer(app.tokens.editor), 403],
      [bearer(own), 403],
      [bearer(await narrow({ scope: 'write' })), 403],
      [bearer(await narrow({ tables: ['orders'] })), 403],
    ] as [Record<string, string>, number][])
      expect((await app.call(tokensOf(id), { headers, body: { name: 'x' } })).status).toBe(status)
    expect((await json(app.call(tokensOf(id), { as: 'admin' }))).tokens).toHaveLength(1)
  })

  test.each([
    ['no name', {}],
    ['an unknown scope', { name: 'x', scope: 'root' }],
    ['a table that there is not', { name: 'x', tables: ['books'] }],
    ['an expiry that has passed', { name: 'x', expiresAt: '2020-01-01T00:00:00Z' }],
    ['another owner', { name: 'x', userId: Bun.randomUUIDv7() }],
  ])('with %s are refused', async (_what, body) => {
    const { id } = await newService()
    await expectProblem(await app.call(tokensOf(id), { as: 'admin', body }), 422, 'validation_failed')
  })

  test('are a hundred at most, also when they come at once', async () => {
    const { id } = await newService()
    await db.query(
      `insert into rowhouse.tokens (id, user_id, secret_hash, name, scope)
        select rowhouse.uuid_v7(), $1::uuid, 'hash ' || $1 || n, 'x', 'read' from generate_series(1, 97) n`,
      [id],
    )
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.call(tokensOf(id), { as: 'admin', body: { name: 'x' } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409])
  })

  test('make tokens of their own, which end with them', async () => {
    const { id } = await newService()
    const parent = await newToken(id, { name: 'parent' })
    const child = await json(app.call('/auth/tokens', { headers: bearer(parent.token), body: { name: 'child', scope: 'read' } }))
    expect((await json(me(child.token))).user.id).toBe(id)
    await app.call(`${tokensOf(id)}/${parent.id}`, { as: 'admin', method: 'DELETE' })
    expect((await me(child.token)).status).toBe(401)
  })

  test('are refused with reasons that administrators read', async () => {
    const { id } = await newService('viewer')
    const { id: tokenId, token } = await newToken(id, { name: 'cron', scope: 'read' })
    expect((await app.call('/api/v1/tables/orders/records', { headers: bearer(token), body: { title: 'x' } })).status).toBe(403)
    const { email } = await makePerson(app, 'admin')
    const headers = { cookie: await signIn(app, email) }
    const { refusals } = await json(app.call(`/auth/tokens/${tokenId}/refusals`, { headers }))
    expect(refusals).toMatchObject([{ method: 'POST', status: 403, reason: 'scope_lacks_write', count: 1 }])
    await expectProblem(await app.call(`/auth/tokens/${tokenId}/refusals`, { as: 'editor' }), 404, 'not_found')
  })
})
