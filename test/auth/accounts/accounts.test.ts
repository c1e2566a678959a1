import { describe, expect, test } from 'bun:test'
import { createUser } from '../../../src/users/service'
import { json, password, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const { db, passwords } = app.deps
const login = (body: unknown, headers: Record<string, string> = {}) => app.call('/api/v1/auth/login', { body, headers })

const longPassword = `${'p'.repeat(72)}73 and more `
await createUser(db, passwords, { email: 'long@example.org', role: 'viewer', password: longPassword }, null)
await createUser(db, passwords, { email: 'off@example.org', role: 'viewer', password }, null)
await createUser(db, passwords, { email: 'invited@example.org', role: 'viewer', password }, null)
await db.query("update rowhouse.users set disabled_at = now() where email = 'off@example.org'")
await db.query("update rowhouse.users set password_hash = null where email = 'invited@example.org'")

describe('signing in', () => {
  test.each([
    ['the address as it was given', 'editor@example.org'],
    ['capitals', 'EDITOR@Example.ORG'],
    ['spaces around it', '  editor@example.org\t'],
  ])('with %s', async (_what, email) => {
    const response = await login({ email, password })
    expect(response.status).toBe(200)
    expect((await json(response)).user).toMatchObject({ email: 'editor@example.org', role: 'editor', disabled: false })
  })

  test('sets exactly one cookie, as promised, and says its value nowhere else', async () => {
    const response = await login({ email: 'editor@example.org', password })
    const cookies = response.headers.getSetCookie()
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatch(/^service_session=[A-Za-z0-9_-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(await response.text()).not.toContain(cookies[0]!.slice('service_session='.length, 'service_session='.length + 43))
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  test('notes when it was', async () => {
    const { user } = await json(login({ email: 'editor@example.org', password }))
    const [row] = await db.query<{ at: string }>('select last_login_at::text as at from rowhouse.users where id = $1::uuid', [user.id])
    expect(Math.abs(Date.now() - new Date(row!.at).getTime())).toBeLessThan(60_000)
  })

  test.each([
    ['another character at place 73', longPassword.replace('73', '74')],
    ['the first 72 characters alone', longPassword.slice(0, 72)],
    ['the space at the end left out', longPassword.trimEnd()],
    ['other capitals', longPassword.toUpperCase()],
  ])('needs the whole password: %s is wrong', async (_what, wrong) => {
    expect((await login({ email: 'long@example.org', password: longPassword })).status).toBe(200)
    expect((await login({ email: 'long@example.org', password: wrong })).status).toBe(401)
  })
})

test('all ways to be wrong look the same', async () => {
  const attempts = [
    { email: 'nobody@example.org', password },
    { email: 'editor@example.org', password: 'wrong password' },
    { email: 'off@example.org', password },
    { email: 'invited@example.org', password },
    { email: 'not an address', password },
    { email: 'nul\0@example.org', password },
    { email: '', password },
  ]
  const answers = await Promise.all(
    attempts.map(async (attempt) => {
      const response = await login(attempt)
      const { requestId, ...body } = await json(response)
      const headers = [...response.headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
      return { requestId: typeof requestId, status: response.status, body, headers: headers.map(([name, value]) => [name, value.length]) }
    }),
  )
  expect(answers[0]).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
  for (const answer of answers) expect(answer).toEqual(answers[0]!)
  const response = await login(attempts[0])
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="service"')
  expect(response.headers.get('set-cookie')).toBeNull()
})

test.each([
  ['a form', 'application/x-www-form-urlencoded', 'email=editor%40example.org&password=correct+horse+battery'],
  ['plain text', 'text/plain', JSON.stringify({ email: 'editor@example.org', password })],
  ['text that looks like JSON', 'text/json', JSON.stringify({ email: 'editor@example.org', password })],
  ['a multipart form', 'multipart/form-data; boundary=x', '--x--'],
  ['a JSON type inside another', 'text/plain; application/json', JSON.stringify({ email: 'editor@example.org', password })],
  ['an empty type', '', JSON.stringify({ email: 'editor@example.org', password })],
])('%s is not taken for JSON: 415', async (_what, type, body) => {
  const response = await login(body, { 'content-type': type })
  expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 415, code: 'unsupported_media_type' })
  expect(response.headers.get('set-cookie')).toBeNull()
})

test('a body without any type: 415', async () => {
  const response = await fetch(`${app.url}/auth/login`, { method: 'POST', body: new Uint8Array(Buffer.from('{}')) })
  expect(response.status).toBe(415)
})

test.each(['application/json', 'Application/JSON; charset=utf-8', 'application/merge-patch+json'])('%s is JSON', async (type) => {
  expect((await login(JSON.stringify({ email: 'editor@example.org', password }), { 'content-type': type })).status).toBe(200)
})

describe('a bad body is a 4xx and never shows what was sent', () => {
  const secret = 'hunter2-is-secret'
  test.each([
    ['no body', ''],
    ['null', 'null'],
    ['a string', JSON.stringify(secret)],
    ['an array', JSON.stringify([secret])],
    ['a password of a wrong type', { email: 'editor@example.org', password: [secret] }],
    ['a password as an object', { email: 'editor@example.org', password: { $ne: secret } }],
    ['no password', { email: secret }],
    ['an empty password', { email: secret, password: '' }],
    ['a password that is too long', { email: 'editor@example.org', password: secret.repeat(20) }],
    ['an address that is too long', { email: `${'a'.repeat(250)}@example.org`, password: secret }],
    ['an address of a wrong type', { email: { $gt: secret }, password: secret }],
    ['a lone surrogate in the address', { email: 'a\ud800@example.org', password: secret }],
    ['a lone surrogate in the password', { email: 'editor@example.org', password: `\ud800${secret}` }],
    ['a field that nobody asked for', { email: 'editor@example.org', password: secret, passphrase: secret }],
    ['broken JSON', `{"email":"editor@example.org","password":"${secret}"`],
    ['the same key twice', `{"email":"editor@example.org","password":"x","password":"${secret}"}`],
    ['__proto__', `{"__proto__":{"email":"editor@example.org"},"password":"${secret}"}`],
    ['a wrong password', { email: 'editor@example.org', password: secret }],
  ] as [string, unknown][])('%s', async (_what, body) => {
    const response = await login(body)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
    const shown = `${JSON.stringify([...response.headers])}${await response.text()}`
    expect(shown).not.toContain('hunter2')
    expect(response.headers.get('set-cookie')).toBeNull()
  })
})

test.each([
  ['address', { email: 'a\ud800@example.org', password: 'x' }, { path: '/email', message: 'This is not an e-mail address.' }],
  [
    'password',
    { email: 'editor@example.org', password: '\ud800x' },
    { path: '/password', message: 'The password holds a character that is not valid Unicode.' },
  ],
])('a lone surrogate in the %s is named as a mistake of that field', async (_field, body, problem) => {
  const { errors } = await expectProblem(await login(body), 422, 'validation_failed')
  expect(errors).toEqual([problem])
})
