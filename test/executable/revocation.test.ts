import { afterAll, describe, expect, test } from 'bun:test'
import postgres from 'postgres'
import { json } from '../support/app'
import { call, run } from '../support/executable'
import { tally } from '../support/guess'
import { startTwo } from '../support/instances'
import { until } from '../support/processes'
import { administrator, cookieOf, setUp } from '../support/used-data'

const instances = await startTwo()
const { one, two, uri } = instances
/** As an operator with psql has one. */
const sql = postgres(uri, { max: 1, fetch_types: false })
afterAll(async () => {
  await sql.end()
  await instances[Symbol.asyncDispose]()
})

const admin = await setUp(one)
const items = '/api/v1/tables/items/records'
await call(`${one.url}${items}`, { token: admin, body: { number: 1, note: 'a note that is long enough for a range' } })
const etag = (await call(`${two.url}${items}/1`, { token: admin })).headers.get('etag')!

const { password } = administrator
type Subject = { id: string; email: string; cookie: string; token: string; tokenId: string }
let count = 0

/** Somebody with a session and a token. */
async function newSubject(): Promise<Subject> {
  const email = `subject${count++}@example.org`
  const { user } = await json(call(`${one.url}/api/v1/users`, { token: admin, body: { email, role: 'editor', password: `${password} x` } }))
  const cookie = await newSession(email)
  const created = await json(call(`${one.url}/auth/tokens`, { cookie: await newSession(email), body: { name: 'test', scope: 'full' } }))
  return { id: user.id, email, cookie, token: created.token, tokenId: created.id }
}

const newSession = async (email: string) => cookieOf(await call(`${one.url}/auth/login`, { body: { email, password: `${password} x` } }))

/** Every way to ask: plain, conditional, for a part, by header, by query, by cookie. */
const kinds: [string, Record<string, string>][] = [
  ['plain', {}],
  ['conditional', { 'if-none-match': etag }],
  ['for anything that is not there', { 'if-none-match': '*' }],
  ['for a part', { range: 'bytes=0-9' }],
  ['for a part, if unchanged', { range: 'bytes=0-9', 'if-range': etag }],
]
const ask = async (credential: { cookie?: string; token?: string }) => {
  const url = `${two.url}${items}/1`
  const answers = kinds.flatMap(([, headers]) => [
    call(url, { ...credential, headers }),
    call(credential.token ? `${url}?token=${credential.token}` : url, { cookie: credential.cookie, headers, method: 'HEAD' }),
  ])
  return (await Promise.all(answers)).map(({ status }) => status)
}

const lives = [200, 200, 304, 304, 304, 304, 200, 200, 200, 200]
const isDead = Array<number>(10).fill(401)

const patch = (id: string, body: unknown) => call(`${one.url}/api/v1/users/${id}`, { token: admin, method: 'PATCH', body })
const change =
  (more: object) =>
  async ({ email }: Subject) =>
    call(`${one.url}/auth/password`, {
      cookie: await newSession(email),
      body: { currentPassword: `${password} x`, newPassword: `${password} y`, ...more },
    })

const ways: [string, (subject: Subject) => Promise<unknown>, { session: boolean; token: boolean }][] = [
  [
    'the token is revoked',
    ({ tokenId, token }) => call(`${one.url}/auth/tokens/${tokenId}`, { token, method: 'DELETE' }),
    { session: true, token: false },
  ],
  ['its user signs out', ({ cookie }) => call(`${one.url}/auth/logout`, { cookie, method: 'POST' }), { session: false, token: true }],
  [
    'its user signs out everywhere else',
    async ({ email }) => call(`${one.url}/auth/sessions`, { cookie: await newSession(email), method: 'DELETE' }),
    { session: false, token: true },
  ],
  ['the password is changed', change({}), { session: false, token: true }],
  ['the password is changed and tokens too', change({ revokeTokens: true }), { session: false, token: false }],
  ['the user is disabled', ({ id }) => patch(id, { disabled: true }), { session: false, token: false }],
  [
    'the user is deleted',
    ({ id }) => call(`${one.url}/api/v1/users/${id}`, { token: admin, method: 'DELETE' }),
    { session: false, token: false },
  ],
  [
    'an administrator resets the user',
    ({ id }) => call(`${one.url}/api/v1/users/${id}/reset`, { token: admin, method: 'POST' }),
    { session: false, token: false },
  ],
  [
    'an administrator signs the user out',
    ({ id }) => call(`${one.url}/api/v1/users/${id}/sessions`, { token: admin, method: 'DELETE' }),
    { session: false, token: true },
  ],
  [
    'the command line resets the password',
    ({ email }) => run(['users', 'reset-password', email], { environment: { DATABASE_URL: uri }, input: 'a quite new password\n' }),
    { session: false, token: false },
  ],
  [
    'psql disables the user',
    ({ id }) => sql`update rowhouse.users set disabled_at = now() where id = ${id}`,
    { session: false, token: false },
  ],
  [
    'psql deletes the rows',
    ({ id }) =>
      sql.begin((tx) => [tx`delete from rowhouse.sessions where user_id = ${id}`, tx`delete from rowhouse.tokens where user_id = ${id}`]),
    { session: false, token: false },
  ],
  [
    'psql ends the session',
    ({ id }) => sql`update rowhouse.sessions set expires_at = now() where user_id = ${id}`,
    { session: false, token: true },
  ],
  [
    'psql ends the token',
    ({ id }) => sql`update rowhouse.tokens set expires_at = now() where user_id = ${id}`,
    { session: true, token: false },
  ],
]

describe('on the other instance, the very next request sees it when', () => {
  test.each(ways)('%s', async (_what, revoke, after) => {
    const subject = await newSubject()
    const { cookie, token } = subject
    // In use, so that whatever could be remembered is.
    for (let time = 0; time < 2; time++) expect([await ask({ cookie }), await ask({ token })]).toEqual([lives, lives])
    await revoke(subject)
    expect([await ask({ cookie }), await ask({ token })]).toEqual([after.session ? lives : isDead, after.token ? lives : isDead])
  })

  test.each([
    ['an administrator', ({ id }: Subject, role: string) => patch(id, { role })],
    ['psql', ({ id }: Subject, role: string) => sql`update rowhouse.users set role = ${role} where id = ${id}`],
  ])('%s changes the role', async (_who, set) => {
    const subject = await newSubject()
    const write = (credential: object) => call(`${two.url}${items}`, { ...credential, body: { number: 2 } })
    const both = async () => [(await write({ cookie: subject.cookie })).status, (await write({ token: subject.token })).status]
    expect(await both()).toEqual([201, 201])
    await set(subject, 'viewer')
    expect(await both()).toEqual([403, 403])
    await set(subject, 'editor')
    expect(await both()).toEqual([201, 201])
  })
})

test('under load: no request that begins after the answer to the revocation is let in', async () => {
  const { token, tokenId } = await newSubject()
  const seen: { startedAt: number; status: number }[] = []
  let isWanted = true
  const loops = Array.from({ length: 16 }, async (_, index) => {
    while (isWanted) {
      const startedAt = performance.now()
      const { status } = await call(`${index % 2 ? one.url : two.url}/auth/me`, { token })
      seen.push({ startedAt, status })
    }
  })
  await until('answers come', () => seen.length >= 64)
  expect((await call(`${one.url}/auth/tokens/${tokenId}`, { token, method: 'DELETE' })).status).toBe(204)
  const revokedAt = performance.now()
  await until('more answers come', () => seen.filter(({ startedAt }) => startedAt > revokedAt).length >= 64)
  isWanted = false
  await Promise.all(loops)
  const statusesOf = (list: typeof seen) => Object.keys(tally(list.map(({ status }) => status)))
  expect(statusesOf(seen.filter(({ startedAt }) => startedAt > revokedAt))).toEqual(['401'])
  expect(statusesOf(seen)).toEqual(['200', '401'])
})
