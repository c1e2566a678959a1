import { describe, expect, test } from 'bun:test'
import { offerSetup } from '../../../src/auth/accounts/setup'
import { json, password, startApp, type TestApp } from '../../support/app'
import { newFolder } from '../../support/executable'
import { behindProxy, guess, guessInTurn } from '../../support/guess'
import { bearer, makePerson } from '../../support/people'
import { signIn } from '../../support/session'

const app = await startApp(behindProxy)
const address = '198.51.100.7'
const from = { 'x-forwarded-for': address }
const none = { actorId: null, credential: 'none', credentialId: null, subjectId: null, address }

/** The entries since the last call, the oldest first, without id and time; `count` where there was more than one. */
async function written(of: TestApp = app): Promise<object[]> {
  const rows = await of.deps.db.query<{ entry: { at: string } & Record<string, unknown> }>(
    'with gone as (delete from rowhouse.audit returning *) select row_to_json(gone) as entry from gone order by id',
  )
  return rows.map(({ entry }) => {
    const { id, at, actor_id: actorId, credential_id: credentialId, subject_id: subjectId, count, last_at: lastAt, ...more } = entry
    const { fold_key: foldKey, folded_hour: foldedHour, members, ...rest } = more
    // Of groups alone: test/access/groups.
    expect(members).toBe(null)
    expect([foldKey === null, foldedHour === null]).toEqual(Array(2).fill(rest.result === 'ok'))
    expect(lastAt === null).toBe(count === 1)
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(60_000)
    return { ...rest, ...(count === 1 ? {} : { count }), actorId, credentialId, subjectId }
  })
}

/** Somebody with a session and a token, and what the entries call them. */
async function somebody(role: 'editor' | 'admin' = 'editor') {
  const person = await makePerson(app, role)
  const cookie = await signIn(app, person.email)
  const sessions = (await json(app.call('/auth/sessions', { headers: { cookie } }))).sessions as { id: string; current: boolean }[]
  const tokenId: string = (await json(app.call('/auth/me', { headers: bearer(person.token) }))).token.id
  await written()
  const id = person.user.id
  const sessionId = sessions.find(({ current }) => current)!.id
  const byCookie = { actorId: id, credential: 'cookie', credentialId: sessionId, subjectId: null, address }
  const byToken = { actorId: id, credential: 'bearer', credentialId: tokenId, subjectId: null, address }
  return { ...person, id, cookie, sessionId, tokenId, byCookie, byToken, otherSession: sessions.find(({ current }) => !current)!.id }
}

describe('is written down:', () => {
  test('the setup, and every attempt at it', async () => {
    const fresh = await startApp(behindProxy, { users: false })
    const code = await offerSetup(fresh.deps.db, newFolder(), undefined)
    const body = { email: 'ada@example.org', password, code }
    const setUp = (more: object) => fresh.call('/auth/setup', { body: { ...body, ...more }, headers: from })
    for (let time = 0; time < 5; time++) await setUp({ code: `guess number ${time}` })
    await setUp({})
    await fresh.deps.db.query('delete from rowhouse.auth_throttle')
    const { user } = await json(setUp({}))
    await setUp({})
    const entry = (result: string) => ({ kind: 'setup', result, ...none })
    const expected = [{ ...entry('failed'), count: 5 }, entry('throttled'), { ...entry('ok'), actorId: user.id }, entry('refused')]
    expect(await written(fresh)).toEqual(expected)
  })

  test('a sign-in that succeeds, fails, or is refused unheard', async () => {
    const { email, id } = await somebody()
    await guess(app, email, { secret: password, from: address })
    await guessInTurn(app, email, 6, { from: address })
    await guess(app, 'nobody@example.org', { from: address })
    await app.call('/auth/login', { body: { email: 'a\ud800@example.org', password: 'x' }, headers: from })
    const login = (result: string) => ({ kind: 'login', result, ...none })
    expect(await written()).toEqual([
      { ...login('ok'), actorId: id },
      { ...login('failed'), subjectId: id, count: 5 },
      { ...login('throttled'), subjectId: id },
      login('failed'),
      login('refused'),
    ])
  })

  test('signing out', async () => {
    const { cookie, byCookie } = await somebody()
    await app.call('/auth/logout', { method: 'POST', headers: { cookie, ...from } })
    expect(await written()).toEqual([{ kind: 'logout', result: 'ok', ...byCookie }])
  })

  test('a change of the password, and an attempt at one', async () => {
    const { cookie, byCookie } = await somebody()
    const change = (currentPassword: string, newPassword: string) =>
      app.call('/auth/password', { body: { currentPassword, newPassword }, headers: { cookie, ...from } })
    await change('not this one', 'a few unrelated words')
    await change(password, 'sunshine1')
    await change(password, 'a few unrelated words')
    const results = ['failed', 'refused', 'ok']
    expect(await written()).toEqual(results.map((result) => ({ kind: 'password_changed', result, ...byCookie })))
  })

  test('making and revoking a token, by a session and by a token', async () => {
    const { cookie, token, tokenId, byCookie, byToken } = await somebody()
    const made = await json(app.call('/auth/tokens', { body: { name: 'x' }, headers: { cookie, ...from } }))
    await app.call(`/auth/tokens/${made.id}?token=${token}`, { method: 'DELETE', headers: from })
    await app.call(`/auth/tokens/${tokenId}`, { method: 'DELETE', headers: { ...bearer(token), ...from } })
    expect(await written()).toEqual([
      { kind: 'token_created', result: 'ok', ...byCookie, subjectId: made.id },
      { kind: 'token_revoked', result: 'ok', ...byToken, credential: 'query', subjectId: made.id },
      { kind: 'token_revoked', result: 'ok', ...byToken, subjectId: tokenId },
    ])
  })

  test('ending sessions', async () => {
    const { cookie, id, otherSession, byCookie } = await somebody()
    await app.call(`/auth/sessions/${otherSession}`, { method: 'DELETE', headers: { cookie, ...from } })
    await app.call('/auth/sessions', { method: 'DELETE', headers: { cookie, ...from } })
    const revoked = { kind: 'session_revoked', result: 'ok', ...byCookie }
    expect(await written()).toEqual([
      { ...revoked, subjectId: otherSession },
      { ...revoked, subjectId: id },
    ])
  })

  test('all that an administrator does to a user, and that the user comes in', async () => {
    const { token, byToken } = await somebody('admin')
    const headers = { ...bearer(token), ...from }
    const { user, inviteToken } = await json(app.call('/api/v1/users', { body: { email: 'guest@example.org', role: 'viewer' }, headers }))
    await app.call('/auth/invite', { body: { inviteToken, password }, headers: from })
    const path = `/api/v1/users/${user.id}`
    await app.call(path, { method: 'PATCH', body: { role: 'editor' }, headers })
    await app.call(`${path}/sessions`, { method: 'DELETE', headers })
    await app.call(`${path}/reset`, { method: 'POST', headers })
    await app.call(path, { method: 'DELETE', headers })
    const done = (kind: string) => ({ kind, result: 'ok', ...byToken, subjectId: user.id })
    expect(await written()).toEqual([
      done('user_created'),
      { kind: 'invite_accepted', result: 'ok', ...none, actorId: user.id },
      ...['user_changed', 'session_revoked', 'user_reset', 'user_deleted'].map(done),
    ])
  })

  test('a request that another site sent, once each, with whose session it would have been', async () => {
    const { cookie, byCookie } = await somebody()
    const foreign = { 'sec-fetch-site': 'cross-site', ...from }
    await app.call('/api/v1/tables', { body: { name: 'stolen', columns: [] }, headers: { cookie, ...foreign } })
    await app.call('/auth/login', { body: { email: 'x@example.org', password }, headers: foreign })
    const rejected = { kind: 'csrf_rejected', result: 'refused' }
    expect(await written()).toEqual([
      { ...rejected, ...byCookie },
      { ...rejected, ...none },
    ])
  })

  test('nothing of what was refused before it was judged', async () => {
    const { token } = await somebody()
    await app.call('/api/v1/users', { body: { email: 'x@example.org', role: 'viewer' }, headers: bearer(token) })
    await app.call('/auth/tokens', { body: { name: '' }, headers: bearer(token) })
    await app.call(`/auth/tokens/${Bun.randomUUIDv7()}`, { method: 'DELETE', headers: bearer(token) })
    await app.call('/auth/me', { headers: bearer('A'.repeat(43)) })
    expect(await written()).toEqual([])
  })
})

describe('what a stranger repeats', () => {
  const elsewhere = (n: number) => `203.0.113.${n}`
  const foreign = (from: string) =>
    app.call('/auth/login', {
      body: { email: 'x@example.org', password },
      headers: { 'sec-fetch-site': 'cross-site', 'x-forwarded-for': from },
    })

  test('is one entry for each account, result and address, however often and however many at once', async () => {
    const { email, id } = await somebody()
    const address = elsewhere(1)
    await Promise.all(Array.from({ length: 40 }, () => guess(app, email, { from: address })))
    await Promise.all(Array.from({ length: 30 }, () => foreign(address)))
    const entries = (await written()) as { result: string; count: number }[]
    expect(entries.sort((one, other) => other.count - one.count)).toEqual([
      { kind: 'login', result: 'throttled', ...none, address, subjectId: id, count: 35 },
      { kind: 'csrf_rejected', result: 'refused', ...none, address, count: 30 },
      { kind: 'login', result: 'failed', ...none, address, subjectId: id, count: 5 },
    ] as never)
  })

  test('is another entry in the next hour', async () => {
    await foreign(elsewhere(2))
    await app.deps.db.query("update rowhouse.audit set folded_hour = folded_hour - interval '1 hour'")
    await foreign(elsewhere(2))
    expect(await written()).toHaveLength(2)
  })

  test('from all addresses of one IPv6 network is one entry, which shows the first', async () => {
    for (const end of ['1', '2', 'ffff:ffff:ffff:ffff']) await foreign(`2001:db8:7:7:${end.length > 1 ? end : `:${end}`}`)
    expect(await written()).toEqual([{ kind: 'csrf_rejected', result: 'refused', ...none, address: '2001:db8:7:7::1', count: 3 }])
  })

  test('from more addresses than a thousand in an hour is told apart by account only', async () => {
    const { email, id } = await somebody()
    await foreign('2001:db8:7:8::1')
    await app.deps.db.query(`insert into rowhouse.audit (id, kind, result, credential, address, folded_hour, fold_key)
      select rowhouse.uuid_v7(), 'csrf_rejected', 'refused', 'none', 'flood', folded_hour, 'flood ' || n
      from (select folded_hour from rowhouse.audit) hour, generate_series(1, 999) n`)
    for (let n = 1; n <= 3; n++) await foreign(elsewhere(n))
    for (let n = 1; n <= 3; n++) await guess(app, email, { from: elsewhere(10 + n) })
    await foreign('2001:db8:7:8::2')
    const entries = (await written()) as { address: string; count?: number }[]
    expect(entries.filter(({ address }) => address !== 'flood')).toEqual([
      { kind: 'csrf_rejected', result: 'refused', ...none, address: '2001:db8:7:8::1', count: 2 },
      { kind: 'csrf_rejected', result: 'refused', ...none, address: '', count: 3 },
      { kind: 'login', result: 'failed', ...none, address: '', subjectId: id, count: 3 },
    ] as never)
  })

  test('never folds what succeeded', async () => {
    const { email, id } = await somebody()
    await guessInTurn(app, email, 3, { secret: password, from: address })
    expect(await written()).toEqual(Array(3).fill({ kind: 'login', result: 'ok', ...none, actorId: id }))
  })
})

describe('the audit log', () => {
  test('holds no secret, no e-mail address and nothing that a caller wrote', async () => {
    const { email, cookie, token } = await somebody()
    const forged = 'x\u2028\u0085 {"kind":"setup","result":"ok"} forged'
    const hostile = { ...from, 'user-agent': encodeURIComponent(`agent\r\n${forged}`), referer: 'https://evil.example/forged' }
    await app.call('/auth/login', { body: { email: `${email}\r\n${forged}`, password: `${password}\n${forged}` }, headers: hostile })
    await app.call('/auth/login', { body: { email, password }, headers: hostile })
    await app.call('/auth/tokens', { body: { name: `a name\r\n${forged}` }, headers: { cookie, ...hostile } })
    await app.call(`/auth/tokens?token=${token}`, { body: { name: 'another' }, headers: hostile })
    await app.call('/auth/logout', { method: 'POST', headers: { cookie, ...hostile } })
    const text = JSON.stringify((await json(app.call('/api/v1/audit', { as: 'admin' }))).entries)
    expect(JSON.parse(text)).toHaveLength(5)
    for (const part of [email, 'forged', 'agent', 'evil', password, token, cookie.split('=')[1]!]) expect(text).not.toContain(part)
    expect(text).toMatch(/^[\x20-\x7e]*$/)
  })

  test('takes an address from a trusted proxy only when it is one', async () => {
    await written()
    await guess(app, 'nobody@example.org', { headers: { 'x-forwarded-for': 'not an address\t{"kind":"setup"}' } })
    expect(await written()).toEqual([{ kind: 'login', result: 'failed', ...none, address: '127.0.0.1' }])
  })
})
