import { expect, test } from 'bun:test'
import { createToken } from '../../src/auth/accounts/tokens'
import { json, password, startApp } from '../support/app'
import { tally } from '../support/guess'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'

const counting = `allow: () => true, handle: () => { globalThis.limitTestCalls = (globalThis.limitTestCalls ?? 0) + 1; return globalThis.limitTestCalls }`
const calls = () => (globalThis as unknown as { limitTestCalls?: number }).limitTestCalls ?? 0
const plugins = pluginsWith({
  'limited/plugin.ts': endpoints(
    `{ method: 'GET', path: '/public/:n', public: true, limit: { perIp: '5/h' }, ${counting} }`,
    `{ method: 'POST', path: '/public/:n', public: true, limit: { perIp: '2/d' }, cors: ['*'], body: t.Object({ a: t.Integer() }), ${counting} }`,
    `{ method: 'GET', path: '/tokens', public: false, limit: { perToken: '3/h' }, ${counting} }`,
    `{ method: 'GET', path: '/both', public: false, limit: { perIp: '4/h', perToken: '3/h' }, ${counting} }`,
    `{ method: 'GET', path: '/free', public: true, ${counting} }`,
  ),
})
const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' }, { plugins })
const base = '/api/v1/custom/limited'
type Options = { from?: string; token?: string; as?: 'viewer' | 'editor'; method?: string; body?: unknown; cookie?: string }
const ask = (path: string, { from = '192.0.2.1', token, cookie, ...call }: Options = {}) =>
  app.call(base + path, {
    ...call,
    headers: { 'x-forwarded-for': from, ...(token ? { authorization: `Bearer ${token}` } : {}), ...(cookie ? { cookie } : {}) },
  })
const statuses = async (times: number, path: string, options: Options = {}) =>
  tally((await Promise.all(Array.from({ length: times }, () => ask(path, options)))).map(({ status }) => status))

test('an address gets as many calls as the endpoint says, and the code of the plugin runs for no more', async () => {
  const before = calls()
  expect(await statuses(20, '/public/1')).toEqual({ 200: 5, 429: 15 })
  expect(calls() - before).toBe(5)
  const refused = await ask('/public/2')
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(7200)
  const problem = await expectProblem(refused, 429, 'too_many_requests')
  expect(problem).toMatchObject({ message: `Too many requests. Try again in ${seconds} seconds.`, details: { retryAfterS: seconds } })
  expect(await statuses(3, '/public/1', { method: 'HEAD' })).toEqual({ 429: 3 })
  expect(await statuses(6, '/public/1', { from: '192.0.2.2' })).toEqual({ 200: 5, 429: 1 })
  expect(await statuses(6, '/public/1', { from: '2001:db8::1' })).toEqual({ 200: 5, 429: 1 })
  expect(await statuses(1, '/public/1', { from: '2001:db8::ffff' })).toEqual({ 429: 1 })
  expect(await statuses(20, '/free')).toEqual({ 200: 20 })
})

test('each endpoint has a budget of its own, a call that does not fit counts, and a preflight does not', async () => {
  const from = '192.0.2.3'
  const asked = { origin: 'https://shop.example', 'access-control-request-method': 'POST', 'x-forwarded-for': from }
  for (let time = 0; time < 5; time++) expect((await app.call(`${base}/public/1`, { method: 'OPTIONS', headers: asked })).status).toBe(204)
  expect((await ask('/public/1', { from, body: { a: 'x' } })).status).toBe(422)
  expect((await ask('/public/1', { from, body: { a: 1 } })).status).toBe(200)
  const refused = await app.call(`${base}/public/1`, {
    body: { a: 1 },
    headers: { origin: 'https://shop.example', 'x-forwarded-for': from },
  })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([429, '*'])
  expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After')
  expect((await ask('/public/1', { from })).status).toBe(200)
})

test('each token has as many, whoever owns it and wherever it comes from; a session is counted by its address alone', async () => {
  const { db } = app.deps
  const { user } = await json(app.call('/auth/me', { as: 'editor' }))
  const { token } = await createToken(db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'second' }, null)
  expect(await statuses(5, '/tokens', { as: 'editor' })).toEqual({ 200: 3, 429: 2 })
  expect(await statuses(1, '/tokens', { as: 'editor', from: '192.0.2.99' })).toEqual({ 429: 1 })
  expect(await statuses(5, '/tokens', { token })).toEqual({ 200: 3, 429: 2 })
  expect(await statuses(5, '/tokens', { as: 'viewer' })).toEqual({ 200: 3, 429: 2 })
  const login = await app.call('/auth/login', { body: { email: 'editor@example.org', password } })
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
  expect(await statuses(5, '/tokens', { cookie })).toEqual({ 200: 5 })
  const from = '192.0.2.4'
  expect(await statuses(6, '/both', { cookie, from })).toEqual({ 200: 4, 429: 2 })
  expect(await statuses(5, '/both', { as: 'editor', from: '192.0.2.5' })).toEqual({ 200: 3, 429: 2 })
})

test('who may not call at all is told so, and takes nothing from the budget', async () => {
  const from = '192.0.2.6'
  expect(await statuses(10, '/both', { from })).toEqual({ 401: 10 })
  expect(await statuses(10, '/both', { from, token: 'wrong' })).toEqual({ 401: 10 })
  expect(await statuses(3, '/both', { from, as: 'viewer' })).toEqual({ 200: 3 })
})

test('neither addresses nor tokens are stored', async () => {
  const stored = JSON.stringify(await app.deps.db.query('select * from rowhouse.budgets'))
  for (const trace of ['192.0.2', '2001:db8', 'limited', app.tokens.editor]) expect(stored).not.toContain(trace)
})

test('/swagger says which endpoints are limited', async () => {
  const { paths } = await json(app.call('/swagger/json', { as: 'viewer' }))
  const limited = (path: string) => '429' in paths[path].get.responses
  expect([limited(`${base}/public/{n}`), limited(`${base}/free`)]).toEqual([true, false])
})
