import { expect, test } from 'bun:test'
import postgres from 'postgres'
import { call } from '../support/executable'
import { tally } from '../support/guess'
import { startTwo } from '../support/instances'
import { administrator, setUp } from '../support/used-data'

const { email, password } = administrator

test('two instances share what they remember of guesses', async () => {
  await using instances = await startTwo({ TRUSTED_PROXIES: '127.0.0.1' })
  const { one, two, uri } = instances
  const token = await setUp(one)
  // A busy machine says so and judges nothing; then it is asked again, as a browser's user does.
  const attempt = async (at: { url: string }, from: string, body: object): Promise<Response> => {
    const answer = await call(`${at.url}/auth/login`, { body, headers: { 'x-forwarded-for': from } })
    if (answer.status !== 503) return answer
    await Bun.sleep(500)
    return attempt(at, from, body)
  }
  const spread = async (times: number, from: string, bodyOf: (index: number) => object) => {
    const answers = Array.from({ length: times }, (_, index) => attempt(index % 2 ? one : two, from, bodyOf(index)))
    return tally((await Promise.all(answers)).map(({ status }) => status))
  }
  const wrong = { email, password: 'a wrong password' }

  expect(await spread(20, '192.0.2.1', () => ({ email, password }))).toEqual({ 200: 20 })
  expect(await spread(60, '192.0.2.2', () => wrong)).toEqual({ 401: 5, 429: 55 })
  expect(
    await spread(60, '192.0.2.3', (index) => ({ email: index % 4 < 2 ? email : ` ${email.toUpperCase()}`, password: `${index}` })),
  ).toEqual({
    401: 5,
    429: 55,
  })
  expect(await spread(60, '192.0.2.4', () => ({ ...wrong, email: 'nobody@example.org' }))).toEqual({ 401: 5, 429: 55 })
  expect(await spread(60, '192.0.2.5', (index) => ({ ...wrong, email: `user${index}@example.org` }))).toEqual({ 401: 20, 429: 40 })
  // Half of them is right: whichever come first, no more than five are told that they are wrong.
  const mixed = await spread(40, '192.0.2.6', (index) => (index % 4 < 2 ? { email, password } : { ...wrong, email: 'x@example.org' }))
  expect(mixed).toEqual({ 200: 20, 401: 5, 429: 15 })

  for (const { url } of [one, two]) {
    expect((await attempt({ url }, '192.0.2.2', { email, password })).status).toBe(429)
    expect((await call(`${url}/auth/me`, { token, headers: { 'x-forwarded-for': '192.0.2.2' } })).status).toBe(200)
    expect((await attempt({ url }, '192.0.2.1', { email, password })).status).toBe(200)
  }
  // No address and no e-mail is kept for what did not succeed.
  const sql = postgres(uri, { max: 1, fetch_types: false })
  const kept = JSON.stringify(await sql`select * from rowhouse.auth_throttle`)
  await sql.end()
  for (const trace of ['192.0.2.', email, 'nobody@', 'user7@']) expect(kept).not.toContain(trace)
})
