import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { offerSetup } from '../../../src/auth/accounts/setup'
import { json, startApp } from '../../support/app'
import { saturate } from '../../support/saturate'

const app = await startApp({ ROWHOUSE_ARGON2_CONCURRENCY: '1' }, { users: false })
const dataDir = mkdtempSync(join(tmpdir(), 'rowhouse-setup-'))
const code = (await offerSetup(app.deps.db, dataDir, undefined))!

const ada = { email: 'Ada@Example.org', password: 'a long password', code }
const setUp = (body: unknown, headers: Record<string, string> = {}) => app.call('/api/v1/auth/setup', { body, headers })
const countUsers = async () => (await app.deps.db.query('select 1 from rowhouse.users')).length

describe('before it is done', () => {
  test('the status says so, and nothing more', async () => {
    expect(await json(app.call('/auth/setup-status'))).toEqual({ setupRequired: true })
  })

  test('the code stands in a file that only the service’s user reads', () => {
    const path = join(dataDir, 'setup-code')
    expect(readFileSync(path, 'utf8')).toBe(`${code}\n`)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('the next start offers the same code again', async () => {
    expect(await offerSetup(app.deps.db, dataDir, undefined)).toBe(code)
  })

  test.each([
    ['signing in', '/auth/login', { email: ada.email, password: ada.password }, 'invalid_credentials'],
    ['anything protected', '/api/v1/tables', undefined, 'unauthenticated'],
  ])('%s answers 401, as ever', async (_what, path, body, expected) => {
    const response = await app.call(path, { body })
    expect(response.status).toBe(401)
    expect((await json(response)).code).toBe(expected)
  })

  const refused: [string, unknown, number, string][] = [
    ['no code', { ...ada, code: undefined }, 403, 'setup_code_required'],
    ['an empty code', { ...ada, code: '' }, 403, 'setup_code_required'],
    ['a wrong code', { ...ada, code: 'x'.repeat(27) }, 403, 'setup_code_required'],
    ['a space behind the code', { ...ada, code: `${code} ` }, 403, 'setup_code_required'],
    ['a password of 7 characters', { ...ada, password: 'seven77' }, 422, 'validation_failed'],
    ['a password of 257 characters', { ...ada, password: 'x'.repeat(257) }, 422, 'validation_failed'],
    ['a password with a lone surrogate', { ...ada, password: 'abc\ud800defgh' }, 422, 'validation_failed'],
    ['no e-mail address', { ...ada, email: undefined }, 422, 'validation_failed'],
    ['an address without @', { ...ada, email: 'ada.example.org' }, 422, 'validation_failed'],
    ['an address with a NUL', { ...ada, email: 'ada\0@example.org' }, 422, 'validation_failed'],
    ['an address with a lone surrogate', { ...ada, email: 'ada\ud800@example.org' }, 422, 'validation_failed'],
    ['a name with a NUL', { ...ada, name: 'a\0b' }, 422, 'validation_failed'],
    ['a name with a lone surrogate', { ...ada, name: 'a\udc00b' }, 422, 'validation_failed'],
    ['a field that nobody asked for', { ...ada, role: 'viewer' }, 422, 'validation_failed'],
    ['an array', [ada], 422, 'validation_failed'],
    ['null', 'null', 422, 'validation_failed'],
    ['broken JSON', '{"email":', 400, 'malformed_json'],
  ]

  test.each(refused)('%s is refused', async (_what, body, status, kind) => {
    const response = await setUp(body)
    expect({ status: response.status, code: (await json(response)).code }).toEqual({ status, code: kind })
    expect(await countUsers()).toBe(0)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])('%s is refused', async (type) => {
    expect((await setUp(ada, { 'content-type': type })).status).toBe(415)
  })

  test('another site cannot do it, even with the code', async () => {
    const response = await setUp(ada, { 'sec-fetch-site': 'cross-site' })
    expect((await json(response)).code).toBe('csrf_rejected')
    expect(await countUsers()).toBe(0)
  })

  test('what is refused is refused before any password is hashed', async () => {
    const end = saturate(app.deps.passwords)
    const answers = await Promise.all([setUp(ada), ...refused.map(([, body]) => setUp(body))])
    expect(answers.map(({ status }) => status)).toEqual([503, ...refused.map(([, , status]) => status)])
    await end()
  })
})

describe('thirty callers with the code', () => {
  test('one of them wins', async () => {
    // None of them waits for a place to hash in, since a queue that is too slow answers 503.
    const wide = await startApp({ ROWHOUSE_ARGON2_CONCURRENCY: '30' }, { users: false, target: app.target })
    const bodies = Array.from({ length: 30 }, (_, index) => ({ ...ada, email: `ada${index}@example.org` }))
    const answers = await Promise.all(bodies.map((body) => wide.call('/api/v1/auth/setup', { body })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(29).fill(409)])
    const winner = answers.find(({ status }) => status === 201)!
    const { user } = await json(winner)
    expect(user).toMatchObject({ role: 'admin', disabled: false, name: user.email.split('@')[0] })
    expect(await countUsers()).toBe(1)
    const cookies = winner.headers.getSetCookie()
    expect(cookies).toHaveLength(1)
    expect(await json(app.call('/auth/me', { headers: { cookie: cookies[0]!.split(';')[0]! } }))).toMatchObject({ user: { id: user.id } })
    for (const loser of answers.filter((answer) => answer !== winner)) {
      expect(loser.headers.get('set-cookie')).toBeNull()
      expect((await json(loser)).code).toBe('setup_done')
    }
  })

  test('and the code is worth nothing from then on, also without any user left', async () => {
    expect(await app.deps.db.query('select 1 from rowhouse.setup_codes')).toEqual([])
    await app.deps.db.query('delete from rowhouse.users')
    expect(await json(app.call('/auth/setup-status'))).toEqual({ setupRequired: false })
    expect((await setUp(ada)).status).toBe(409)
    expect(await countUsers()).toBe(0)
  })

  test('once it is done it is refused without hashing', async () => {
    const end = saturate(app.deps.passwords)
    expect((await setUp(ada)).status).toBe(409)
    await end()
  })

  test('the next start offers no code and removes the file', async () => {
    expect(await offerSetup(app.deps.db, dataDir, undefined)).toBeNull()
    expect(await Bun.file(join(dataDir, 'setup-code')).exists()).toBe(false)
    rmSync(dataDir, { recursive: true })
  })
})

test('with SETUP_CODE, that one alone is valid', async () => {
  const other = await startApp({}, { users: false })
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-setup-'))
  const printed = (await offerSetup(other.deps.db, folder, undefined))!
  expect(await offerSetup(other.deps.db, folder, 'chosen by the operator')).toBe('chosen by the operator')
  const attempt = (value: string) => other.call('/auth/setup', { body: { ...ada, code: value } })
  expect((await attempt(printed)).status).toBe(403)
  expect((await attempt('chosen by the operator')).status).toBe(201)
  rmSync(folder, { recursive: true })
})
