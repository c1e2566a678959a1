import { expect, test } from 'bun:test'
import type { TokenRefusal } from '../../../src/auth/refusals/list'
import { pruneRefusals } from '../../../src/auth/refusals/refusals'
import { json, password, startApp } from '../../support/app'
import { bearer, makePerson } from '../../support/people'
import { signIn } from '../../support/session'

const app = await startApp()
const { db } = app.deps

for (const name of ['books', 'films'])
  await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: [{ name: 'title', type: 'text' }] } })
const ada = await makePerson(app)
const records = '/api/v1/tables/books/records'

type MadeToken = { id: string; token: string }
const makeToken = async (body: object): Promise<MadeToken> =>
  json(app.call('/auth/tokens', { headers: bearer(ada.token), body: { name: 'script', ...body } }))
const read = async (id: string, query = '', root = '/api/v1'): Promise<{ refusals: TokenRefusal[]; nextCursor: string | null }> =>
  json(app.call(`${root}/auth/tokens/${id}/refusals${query}`, { headers: bearer(ada.token) }))
const end = (id: string) => db.query(`update rowhouse.tokens set expires_at = now() - interval '1 second' where id = $1::uuid`, [id])

test('the owner reads the reasons of every refusal, under the ids that the caller was given', async () => {
  const reader = await makeToken({ scope: 'read', tables: ['books'] })
  const send = (path: string, call: Parameters<typeof app.call>[1] = {}) =>
    app.call(path, { ...call, headers: { ...bearer(reader.token), ...call.headers } })
  const write = await send(`${records}?select=title`, { body: { title: 'Emma' } })
  const other = await send('/api/v1/tables/films/records/7')
  const rest = await send('/rest/v1/films?select=title')
  const users = await send('/api/v1/users')
  const allowed = await send(records)
  expect([write, other, rest, users, allowed].map(({ status }) => status)).toEqual([403, 403, 403, 403, 200])
  const { refusals, nextCursor } = await read(reader.id)
  expect(nextCursor).toBeNull()
  const about = refusals.map(({ requestIds, count, method, route, status, code, reason, detail }) => ({
    ...{ requestIds, count, method, route, status, code, reason, detail },
  }))
  const alike = { count: 1, status: 403, code: 'insufficient_scope' }
  const idOf = (response: Response) => [response.headers.get('x-request-id')]
  const record = '/api/v1/tables/:tableId/records'
  expect(about).toHaveLength(4)
  for (const refusal of [
    { ...alike, requestIds: idOf(write), method: 'POST', route: record, reason: 'scope_lacks_write', detail: null },
    { ...alike, requestIds: idOf(other), method: 'GET', route: `${record}/:pk`, reason: 'table_not_allowed', detail: 'films' },
    { ...alike, requestIds: idOf(rest), method: 'GET', route: '/rest/v1/:table', reason: 'table_not_allowed', detail: 'films' },
    { ...alike, requestIds: idOf(users), method: 'GET', route: '/api/v1/users', reason: 'scope_lacks_full', detail: null },
  ])
    expect(about).toContainEqual(expect.objectContaining(refusal))
})

test('a token that has expired, was revoked or whose owner is disabled is told from a stranger’s, and answered as one (SEC-75)', async () => {
  const [expired, revoked, child] = [await makeToken({}), await makeToken({}), await makeToken({})]
  await end(expired.id)
  await db.query('update rowhouse.tokens set parent_id = $1::uuid where id = $2::uuid', [revoked.id, child.id])
  await app.call(`/auth/tokens/${revoked.id}`, { method: 'DELETE', headers: bearer(ada.token) })
  const grace = await makePerson(app)
  await app.call(`/api/v1/users/${grace.user.id}`, { as: 'admin', method: 'PATCH', body: { disabled: true } })
  const answer = async (token: string, id: string) => {
    const response = await app.call(records, { headers: { ...bearer(token), 'x-request-id': id } })
    const headers = [...response.headers].filter(([name]) => name !== 'date')
    return JSON.stringify([response.status, headers, await response.text()]).replaceAll(id, 'id')
  }
  const stranger = await answer('x'.repeat(43), 'r0')
  expect(stranger).toContain('invalid_token')
  const secrets = [expired.token, revoked.token, child.token, grace.token]
  for (const [index, secret] of secrets.entries()) expect(await answer(secret, `r${index + 1}`)).toBe(stranger)
  const [{ id: graces }] = (await db.query<{ id: string }>('select id from rowhouse.tokens where user_id = $1::uuid', [grace.user.id])) as [
    { id: string },
  ]
  const reasonOf = async (id: string) =>
    (await json(app.call(`/auth/tokens/${id}/refusals`, { as: 'admin' }))).refusals.map(({ reason, code, requestIds }: TokenRefusal) => [
      ...[reason, code, ...requestIds],
    ])
  expect(await reasonOf(expired.id)).toEqual([['token_expired', 'invalid_token', 'r1']])
  expect(await reasonOf(revoked.id)).toEqual([['token_revoked', 'invalid_token', 'r2']])
  expect(await reasonOf(child.id)).toEqual([['token_revoked', 'invalid_token', 'r3']])
  expect(await reasonOf(graces)).toEqual([['owner_disabled', 'invalid_token', 'r4']])
  const kept = JSON.stringify(await db.query('select * from rowhouse.refusals, rowhouse.revoked_tokens'))
  for (const secret of secrets) expect(kept).not.toContain(secret)
})

test('a query, a key and a body are not kept (SEC-75)', async () => {
  const reader = await makeToken({ scope: 'read' })
  await app.call(`/api/v1/tables/books/records/key-of-a-record?note=in-the-query&token=${reader.token}`, {
    method: 'PATCH',
    body: { title: 'in-the-body' },
  })
  expect((await read(reader.id)).refusals).toMatchObject([{ method: 'PATCH', reason: 'scope_lacks_write' }])
  const kept = JSON.stringify(await db.query('select * from rowhouse.refusals'))
  for (const secret of ['key-of-a-record', 'in-the-query', 'in-the-body', reader.token]) expect(kept).not.toContain(secret)
})

test('the owner and administrators read them, and nobody else learns that the token exists (SEC-75)', async () => {
  const reader = await makeToken({ scope: 'read' })
  await app.call(records, { headers: bearer(reader.token), body: { title: 'Emma' } })
  const ask = (call: Parameters<typeof app.call>[1], id = reader.id) => app.call(`/auth/tokens/${id}/refusals`, call)
  const withoutId = async (response: Response) => (await response.text()).replace(/"requestId":"[^"]+"/, '')
  const [others, unknown] = [await ask({ as: 'editor' }), await ask({ as: 'editor' }, Bun.randomUUIDv7())]
  expect([others.status, unknown.status]).toEqual([404, 404])
  expect(await withoutId(others)).toBe(await withoutId(unknown))
  expect((await ask({ headers: bearer(reader.token) })).status).toBe(403)
  expect((await ask({})).status).toBe(401)
  expect((await json(ask({ as: 'admin' }))).refusals).not.toBeEmpty()
  expect((await read(reader.id, '', '')).refusals).not.toBeEmpty()
})

test('of a session they are kept, too, also when it has ended by itself', async () => {
  const cookie = await signIn(app, ada.email)
  const headers = { cookie }
  const [{ id }] = (await json(app.call('/auth/sessions', { headers }))).sessions.filter(({ current }: { current: boolean }) => current)
  await app.call('/api/v1/users', { headers })
  await app.call('/auth/password', { headers, body: { currentPassword: `${password} wrong`, newPassword: `${password} other` } })
  await db.query(`update rowhouse.sessions set expires_at = now() where id = $1::uuid`, [id])
  await app.call(records, { headers })
  const { refusals } = await json(app.call(`/auth/sessions/${id}/refusals`, { headers: bearer(ada.token) }))
  expect(refusals.map(({ reason, detail }: TokenRefusal) => [reason, detail]).toSorted()).toEqual([
    ['role_lacks', 'admin'],
    ['session_expired', null],
    ['wrong_password', null],
  ])
})

test('a write while an administrator views the service as another user has a reason of its own', async () => {
  const boss = await makePerson(app, 'admin')
  const headers = { cookie: await signIn(app, boss.email) }
  const [{ id }] = (await json(app.call('/auth/sessions', { headers }))).sessions.filter(({ current }: { current: boolean }) => current)
  expect((await app.call('/api/v1/access/view', { headers, body: { userId: ada.user.id } })).status).toBe(204)
  expect((await app.call(records, { headers, body: { title: 'Emma' } })).status).toBe(403)
  expect((await app.call('/api/v1/access/view', { headers, method: 'DELETE' })).status).toBe(204)
  const { refusals } = await json(app.call(`/auth/sessions/${id}/refusals`, { headers }))
  expect(refusals).toMatchObject([{ status: 403, code: 'forbidden', reason: 'view_only', detail: null }])
})

test('of a flood each minute is one row with a count, and others keep their room', async () => {
  const [flood, quiet] = [await makeToken({ scope: 'read' }), await makeToken({ scope: 'read' })]
  const send = (token: string) => app.call(records, { headers: bearer(token), body: { title: 'Emma' } })
  for (let round = 0; round < 4; round++) await Promise.all(Array.from({ length: 100 }, () => send(flood.token)))
  await send(quiet.token)
  const { refusals } = await read(flood.id)
  // The flood may have passed the end of a minute.
  expect(refusals.length).toBeLessThanOrEqual(2)
  expect(refusals.reduce((sum, { count }) => sum + count, 0)).toBe(400)
  for (const { requestIds, count } of refusals) expect(requestIds).toHaveLength(Math.min(count, 100))
  expect((await read(quiet.id)).refusals).toMatchObject([{ count: 1 }])
})

test('of one token the last thousand are kept, for a week, in pages', async () => {
  const reader = await makeToken({ scope: 'read' })
  await app.call(records, { headers: bearer(reader.token), body: { title: 'Emma' } })
  await read(reader.id)
  await db.query(
    `insert into rowhouse.refusals (id, user_id, credential_id, minute, fold_key, method, status, reason, at, last_at, count, request_ids)
      select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, user_id, credential_id, minute, n::text, method, status, reason, at,
        case when n <= 1500 then last_at else last_at - interval '7 days' end, count, '{}'
      from rowhouse.refusals, generate_series(501, 1510) n where credential_id = $1::uuid`,
    [reader.id],
  )
  await pruneRefusals(db)
  const countNow = async () =>
    (await db.query<{ n: number }>('select count(*)::int as n from rowhouse.refusals where credential_id = $1::uuid', [reader.id]))[0]!.n
  expect(await countNow()).toBe(1001)
  await app.call('/api/v1/users', { headers: bearer(reader.token) })
  const first = await read(reader.id, '?limit=600')
  expect(await countNow()).toBe(1000)
  expect(first.refusals[0]).toMatchObject({ reason: 'scope_lacks_full' })
  const second = await read(reader.id, `?limit=600&cursor=${first.nextCursor}`)
  expect(second.nextCursor).toBeNull()
  expect(new Set([...first.refusals, ...second.refusals].map(({ id }) => id)).size).toBe(1000)
  expect((await app.call(`/auth/tokens/${reader.id}/refusals?limit=0`, { headers: bearer(ada.token) })).status).toBe(400)
})

test('what a user leaves goes with the user', async () => {
  const { user, token } = await makePerson(app, 'viewer')
  await app.call(records, { headers: bearer(token), body: { title: 'Emma' } })
  await app.deps.refusals.flush()
  const left = () =>
    db.query(
      'select user_id from rowhouse.refusals where user_id = $1::uuid union all select user_id from rowhouse.revoked_tokens where user_id = $1::uuid',
      [user.id],
    )
  expect(await left()).toHaveLength(1)
  expect((await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
  expect(await left()).toBeEmpty()
})

test('where they cannot be kept the answer is the same, and the log says so', async () => {
  const reader = await makeToken({ scope: 'read' })
  await db.query('alter table rowhouse.refusals rename to refusals_away')
  const response = await app.call(records, { headers: bearer(reader.token), body: { title: 'Emma' } })
  expect(response.status).toBe(403)
  await app.deps.refusals.flush()
  await db.query('alter table rowhouse.refusals_away rename to refusals')
  expect(app.events).toContainEqual(expect.objectContaining({ kind: 'background_failed', task: 'keeping refusals' }))
})
