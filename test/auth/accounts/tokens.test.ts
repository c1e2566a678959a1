import { describe, expect, test } from 'bun:test'
import { hashSecret } from '../../../src/auth/secret'
import { json, startApp } from '../../support/app'
import { until } from '../../support/processes'
import { signInAs } from '../../support/session'

const app = await startApp()
const { db } = app.deps

type Made = { id: string; token: string; expiresAt: string | null }

const create = (body: object, headers: Record<string, string> = {}) =>
  app.call('/api/v1/auth/tokens', { body, headers: { authorization: `Bearer ${app.tokens.editor}`, ...headers } })
const make = async (body: object = { name: 'made' }, token = app.tokens.editor): Promise<Made> =>
  json(create(body, { authorization: `Bearer ${token}` }))
const revoke = (id: string, token = app.tokens.editor) =>
  app.call(`/auth/tokens/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })
const use = async (token: string) => (await app.call('/auth/me', { headers: { authorization: `Bearer ${token}` } })).status

describe('making a token', () => {
  test('shows its value once, and it works at once by header and by query', async () => {
    const response = await create({ name: '  backup script ' })
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toContain('no-store')
    const made = await json(response)
    expect(made.token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(made).toMatchObject({ name: 'backup script', scope: 'full', tables: null, expiresAt: null, lastUsedAt: null })
    expect(await use(made.token)).toBe(200)
    expect((await app.call(`/auth/me?token=${made.token}`)).status).toBe(200)
    const { tokens } = await json(app.call('/auth/tokens', { as: 'editor' }))
    expect(tokens[0]).toMatchObject({ id: made.id, name: 'backup script' })
    expect(JSON.stringify(tokens)).not.toContain(made.token)
    expect(Object.keys(tokens[0])).not.toContain('token')
  })

  test('works with the session of a browser too', async () => {
    const cookie = await signInAs(app, 'editor')
    const response = await app.call('/auth/tokens', { body: { name: 'from the browser' }, headers: { cookie } })
    expect(response.status).toBe(201)
  })

  test('keeps only a hash of it', async () => {
    const { token } = await make()
    const dump = JSON.stringify(await db.query('select * from rowhouse.tokens'))
    for (const encoding of ['utf8', 'hex', 'base64'] as const) expect(dump).not.toContain(Buffer.from(token).toString(encoding))
    expect(dump).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
  })

  test('needs a sign-in', async () => {
    expect((await app.call('/auth/tokens', { body: { name: 'x' } })).status).toBe(401)
  })

  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name of spaces', { name: '   ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name with a NUL', { name: 'a\0b' }],
    ['a name with a lone surrogate', { name: '\ud800' }],
    ['a name that is no string', { name: 1 }],
    ['an unknown scope', { name: 'x', scope: 'root' }],
    ['no tables at all', { name: 'x', tables: [] }],
    ['a table that there is not', { name: 'x', tables: ['books'] }],
    ['the id of a table that there is not', { name: 'x', tables: ['00000000-0000-7000-8000-000000000000'] }],
    ['an empty name of a table', { name: 'x', tables: [''] }],
    ['tables that are no text', { name: 'x', tables: [1] }],
    ['an expiry that has passed', { name: 'x', expiresAt: '2020-01-01T00:00:00Z' }],
    ['an expiry without an offset', { name: 'x', expiresAt: '2099-01-01T00:00:00' }],
    ['an expiry that is a day', { name: 'x', expiresAt: '2099-01-01' }],
    ['an expiry after the year 9999 in UTC', { name: 'x', expiresAt: '9999-12-31T23:59:59-05:00' }],
    ['an expiry that is no time', { name: 'x', expiresAt: 'tomorrow' }],
    ['an expiry on a day that does not exist', { name: 'x', expiresAt: '2099-02-31T00:00:00Z' }],
    ['an expiry in a leap second', { name: 'x', expiresAt: '2099-12-31T23:59:60Z' }],
    ['an expiry in a thirteenth month', { name: 'x', expiresAt: '2099-13-01T00:00:00Z' }],
    ['a value of one’s own', { name: 'x', token: 'A'.repeat(43) }],
    ['another owner', { name: 'x', userId: '00000000-0000-7000-8000-000000000000' }],
  ])('with %s is refused', async (_what, body) => {
    const response = await create(body)
    expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 422, code: 'validation_failed' })
  })

  test('a name is text, whatever it looks like', async () => {
    const name = `<script>"'&{{7*7}} ‮ 🦊`
    expect(await make({ name })).toMatchObject({ name })
  })

  test('more than a hundred is too many, also when they come at once', async () => {
    const viewer = app.tokens.viewer
    await db.query(`insert into rowhouse.tokens (id, secret_hash, user_id, name, scope)
      select gen_random_uuid(), 'hash ' || n, u.id, 'filler', 'read' from rowhouse.users u, generate_series(1, 94) n where u.email = 'viewer@example.org'`)
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'one more' }, { authorization: `Bearer ${viewer}` })))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(5).fill(409)])
  })
})

describe('a token that was altered', () => {
  const { editor } = app.tokens
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  // The last character carries four bits; three others stand for the same bytes.
  const last = alphabet.indexOf(editor[42]!)
  const siblings = [1, 2, 3].map((bit): [string, string] => [
    `another spelling of its bytes (${bit})`,
    editor.slice(0, 42) + alphabet[last ^ bit],
  ])
  test.each([
    ...siblings,
    ['all in capitals', editor.toUpperCase()],
    ['with padding', `${editor}=`],
    ['in quotes', `"${editor}"`],
    ['percent-encoded', `%${editor.charCodeAt(0).toString(16)}${editor.slice(1)}`],
    ['in base64 instead of base64url', `${editor.slice(0, 42)}+`],
    ['cut by one', editor.slice(0, 42)],
  ])('is worth nothing: %s', async (_what, token) => {
    expect(await use(token)).toBe(401)
  })
})

describe('revoking', () => {
  test('counts from the next request on', async () => {
    const { id, token } = await make()
    expect(await use(token)).toBe(200)
    const response = await revoke(id)
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 204, body: '' })
    const next = await app.call('/auth/me', { headers: { authorization: `Bearer ${token}` } })
    expect({ status: next.status, code: (await json(next)).code }).toEqual({ status: 401, code: 'invalid_token' })
    expect((await revoke(id)).status).toBe(404)
  })

  test('by the token itself is allowed', async () => {
    const { id, token } = await make()
    expect((await revoke(id, token)).status).toBe(204)
    expect(await use(token)).toBe(401)
  })

  test('another user’s token looks like none at all', async () => {
    const { id, token } = await make({ name: 'mine' })
    const [strange, unknown] = [await revoke(id, app.tokens.admin), await revoke(Bun.randomUUIDv7(), app.tokens.admin)]
    const shown = async (response: Response) => ({ status: response.status, message: (await json(response)).message })
    expect(await shown(strange)).toEqual({ status: 404, message: (await shown(unknown)).message })
    expect(await use(token)).toBe(200)
    expect((await json(app.call('/auth/tokens', { as: 'admin' }))).tokens.map((each: Made) => each.id)).not.toContain(id)
  })

  test.each(['1', 'x', '%00', '..%2f..%2f', `${Bun.randomUUIDv7()}%27`, '__proto__'])('the id %s is not there', async (id) => {
    expect((await revoke(id)).status).toBe(404)
  })
})

test.each(['2099-01-01T00:00:00', '2099-01-01', 'tomorrow'])('of the end %s the answer says that it needs an offset', async (expiresAt) => {
  const { errors } = await json(create({ name: 'x', expiresAt }))
  expect(errors).toEqual([{ path: '/expiresAt', message: expect.stringContaining('with an offset from UTC') }])
})

test('the end null is none', async () => {
  expect(await make({ name: 'for good', expiresAt: null })).toMatchObject({ expiresAt: null })
})

describe('a token with an end', () => {
  test('ends by the database’s clock', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const made = await make({ name: 'an hour', expiresAt })
    expect(made.expiresAt).toBe(expiresAt)
    expect(await use(made.token)).toBe(200)
    await db.query("update rowhouse.tokens set expires_at = now() - interval '1 ms' where id = $1::uuid", [made.id])
    expect(await use(made.token)).toBe(401)
  })
})

describe('a token made by a token', () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const later = new Date(Date.now() + 7_200_000).toISOString()

  test.each([
    ['without an end of its own', {}, soon],
    ['with a later end', { expiresAt: later }, soon],
    [
      'with an earlier end',
      { expiresAt: new Date(Date.parse(soon) - 60_000).toISOString() },
      new Date(Date.parse(soon) - 60_000).toISOString(),
    ],
  ])('never outlives it: %s', async (_what, wanted, expected) => {
    const parent = await make({ name: 'parent', expiresAt: soon })
    expect((await make({ name: 'child', ...wanted }, parent.token)).expiresAt).toBe(expected)
  })

  test('ends with it, and so does the next generation', async () => {
    const parent = await make()
    const child = await make({ name: 'child' }, parent.token)
    const grandchild = await make({ name: 'grandchild' }, child.token)
    expect(await use(grandchild.token)).toBe(200)
    await revoke(parent.id)
    expect([await use(child.token), await use(grandchild.token)]).toEqual([401, 401])
  })

  test.each(['read', 'write'] as const)('is not possible with the scope %s', async (scope) => {
    const { token, id } = await make({ name: scope, scope })
    for (const response of [
      await create({ name: 'child', scope: 'read' }, { authorization: `Bearer ${token}` }),
      await app.call('/auth/tokens', { headers: { authorization: `Bearer ${token}` } }),
      await revoke(id, token),
    ]) {
      expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 403, code: 'insufficient_scope' })
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="service", error="insufficient_scope"')
    }
  })
})

test.each(['token', 'session'] as const)('nothing is made with a %s that is being revoked at this moment', async (kind) => {
  const parent = await make({ name: 'parent' })
  const cookie = await signInAs(app, 'editor')
  const secret = kind === 'token' ? parent.token : cookie.slice(cookie.indexOf('=') + 1)
  const headers: Record<string, string> = kind === 'token' ? { authorization: `Bearer ${secret}` } : { cookie }
  const statement = `delete from rowhouse.${kind}s where secret_hash = $1`
  const { making } = await db.transaction(async ({ query }) => {
    await query(statement, [hashSecret(secret)])
    const begun = app.call('/auth/tokens', { body: { name: `made by a ${kind}` }, headers })
    await until('it waits for the end of the revocation', isSomebodyWaiting)
    return { making: begun }
  })
  const response = await making
  expect([response.status, (await json(response)).code]).toEqual([401, `invalid_${kind}`])
  expect(await db.query('select 1 from rowhouse.tokens where name = $1', [`made by a ${kind}`])).toBeEmpty()
})

const isSomebodyWaiting = async () =>
  (await db.query("select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")).length > 0
