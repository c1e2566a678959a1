import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { until } from '../../support/processes'
import { expire, signInAs } from '../../support/session'

/** SECURITY.md 1.3, all of it. Each place holds another user's credential, so the answer shows which one was taken. */
const app = await startApp()
const ended = await signInAs(app, 'viewer')
await expire(app, ended)

const headers = {
  none: undefined,
  foreign: 'Basic YWxhZGRpbjpvcGVuc2VzYW1l',
  valid: `Bearer ${app.tokens.admin}`,
  invalid: `Bearer ${'A'.repeat(43)}`,
  malformed: 'Bearer undefined',
}
const queries = { none: '', valid: `?token=${app.tokens.editor}`, invalid: `?token=${'A'.repeat(43)}` }
const cookies = { none: undefined, valid: await signInAs(app, 'viewer'), expired: ended, garbage: 'service_session=garbage' }

type Header = keyof typeof headers
type Query = keyof typeof queries
type Cookie = keyof typeof cookies
type Outcome = 'T(h)' | 'T(q)' | 'U(c)' | 'A1' | 'A2' | 'A3'

const each = <T extends string>(values: Record<T, unknown>) => Object.keys(values) as T[]

/** One row of the table for each header and cookie: the outcomes with no, a valid and an invalid query parameter. */
const rows: [Header, Cookie, [Outcome, Outcome, Outcome]][] = [
  ['none', 'none', ['A1', 'T(q)', 'A2']],
  ['none', 'valid', ['U(c)', 'T(q)', 'A2']],
  ['none', 'expired', ['A3', 'T(q)', 'A2']],
  ['none', 'garbage', ['A3', 'T(q)', 'A2']],
  ['foreign', 'none', ['A1', 'T(q)', 'A2']],
  ['foreign', 'valid', ['U(c)', 'T(q)', 'A2']],
  ['foreign', 'expired', ['A3', 'T(q)', 'A2']],
  ['foreign', 'garbage', ['A3', 'T(q)', 'A2']],
  ...each(cookies).map((cookie): [Header, Cookie, [Outcome, Outcome, Outcome]] => ['valid', cookie, ['T(h)', 'T(h)', 'T(h)']]),
  ...each(cookies).map((cookie): [Header, Cookie, [Outcome, Outcome, Outcome]] => ['invalid', cookie, ['A2', 'A2', 'A2']]),
  ...each(cookies).map((cookie): [Header, Cookie, [Outcome, Outcome, Outcome]] => ['malformed', cookie, ['A2', 'A2', 'A2']]),
]
const cells = rows.flatMap(([header, cookie, outcomes]) =>
  each(queries).map((query, index): [Header, Query, Cookie, Outcome] => [header, query, cookie, outcomes[index]!]),
)

const identities = {
  'T(h)': { email: 'admin@example.org', via: 'bearer' },
  'T(q)': { email: 'editor@example.org', via: 'query' },
  'U(c)': { email: 'viewer@example.org', via: 'cookie' },
}
const refusals = {
  A1: { code: 'unauthenticated', challenge: 'Bearer realm="service"', setCookie: null },
  A2: { code: 'invalid_token', challenge: 'Bearer realm="service", error="invalid_token"', setCookie: null },
  A3: {
    code: 'invalid_session',
    challenge: 'Bearer realm="service"',
    setCookie: 'service_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
  },
}

const ask = (header: Header, query: Query, cookie: Cookie, path = '/auth/me') =>
  app.call(path + queries[query], {
    headers: {
      ...(headers[header] === undefined ? {} : { authorization: headers[header] }),
      ...(cookies[cookie] === undefined ? {} : { cookie: cookies[cookie] }),
    },
  })

test('the table has 60 cells, each once', () => {
  expect(new Set(cells.map((cell) => cell.slice(0, 3).join())).size).toBe(60)
})

test.each(cells)('header %s, query %s, cookie %s: %s', async (header, query, cookie, outcome) => {
  const response = await ask(header, query, cookie)
  const body = await json(response)
  expect(response.headers.get('cache-control')).toContain('no-store')
  if (outcome in identities) {
    expect(response.status).toBe(200)
    expect({ email: body.user.email, via: body.via }).toEqual(identities[outcome as keyof typeof identities])
    expect(response.headers.getSetCookie()).toEqual([])
    return
  }
  const { code, challenge, setCookie } = refusals[outcome as keyof typeof refusals]
  expect({ status: response.status, code: body.code }).toEqual({ status: 401, code })
  expect(response.headers.get('www-authenticate')).toBe(challenge)
  expect(response.headers.get('set-cookie')).toBe(setCookie)
})

test.each(cells)('header %s, query %s, cookie %s: open addresses do not care', async (header, query, cookie) => {
  for (const path of ['/version', '/auth/setup-status']) {
    const response = await ask(header, query, cookie, path)
    expect({ path, status: response.status, setCookie: response.headers.get('set-cookie') }).toEqual({ path, status: 200, setCookie: null })
  }
})

const usedTokens = () => app.deps.db.query('select from rowhouse.tokens where last_used_at is not null')

test('what was not chosen is not looked at: neither token nor session counts as used', async () => {
  await app.deps.db.query('update rowhouse.tokens set last_used_at = null')
  await app.deps.db.query("update rowhouse.sessions set last_seen_at = now() - interval '1 hour'")
  await ask('valid', 'valid', 'valid')
  await ask('invalid', 'valid', 'valid')
  await until('the use is noted', async () => (await usedTokens()).length > 0)
  // Time for what should not be noted.
  await Bun.sleep(50)
  const used = await app.deps.db.query<{ email: string }>(
    'select u.email from rowhouse.tokens t join rowhouse.users u on u.id = t.user_id where t.last_used_at is not null',
  )
  expect(used.map(({ email }) => email)).toEqual(['admin@example.org'])
  expect(await app.deps.db.query("select 1 from rowhouse.sessions where last_seen_at > now() - interval '1 minute'")).toEqual([])
})

test('use in a URL is noted apart from use in a header', async () => {
  await app.deps.db.query('update rowhouse.tokens set last_used_at = null, last_used_in_url_at = null')
  await ask('valid', 'none', 'none')
  await ask('none', 'valid', 'none')
  await until('both uses are noted', async () => (await usedTokens()).length >= 2)
  const used = await app.deps.db.query<{ email: string; in_url: boolean }>(
    `select u.email, t.last_used_in_url_at is not null as in_url
     from rowhouse.tokens t join rowhouse.users u on u.id = t.user_id where t.last_used_at is not null order by u.email`,
  )
  expect(used.map(({ email, in_url }) => [email, in_url])).toEqual([
    ['admin@example.org', false],
    ['editor@example.org', true],
  ])
})
