import { beforeAll, describe, expect, test } from 'bun:test'
import { json, password, startApp } from '../support/app'
import { bearer, makePerson } from '../support/people'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'
import { signIn, signInAs } from '../support/session'

/** Endpoints of a plugin that write in the name of their caller. */
const create = `handle: ({ records }) => records('notes').create({ text: 'by a plugin' })`
const probe = endpoints(
  `{ method: 'GET', path: '/add', public: false, allow: () => true, ${create} }`,
  `{ method: 'POST', path: '/add', public: true, allow: async ({ auth }) => (await auth.optional()) !== null, ${create} }`,
)
/** Documents: one for those who have signed in, and a public one that asks who they are and writes. */
const template = (body: string) =>
  `import { documentTemplate, t } from 'rowhouse/plugin'\nexport default documentTemplate({ ${body}, formats: { txt: 'text.liquid' } })\n`
const text = '{{ text }}'
const templates = {
  'probe/own/template.ts': template(`title: 'Own', public: false, params: t.Object({ id: t.Integer() }),
    allow: async ({ auth }) => (await auth.require()).user.role === 'viewer', load: async ({ records, params }) => ({ text: (await records('notes').find(params.id)).text })`),
  'probe/own/text.liquid': text,
  'probe/open/template.ts': template(`title: 'Open', public: true, params: t.Object({ writes: t.Optional(t.String()) }),
    allow: async ({ auth }) => (await auth.optional()) !== null,
    load: async ({ records, params }) => (params.writes ? records('notes').create({ text: 'by a template' }) : { text: 'read' })`),
  'probe/open/text.liquid': text,
}
const app = await startApp({}, { plugins: pluginsWith({ 'probe/plugin.ts': probe, ...templates }) })
let cookie = ''
let viewerId = ''

const send = (path: string, method = 'GET', body?: unknown) =>
  fetch(app.url + path, {
    method,
    headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
const me = () => json(send('/auth/me'))

beforeAll(async () => {
  cookie = await signInAs(app, 'admin')
  const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
  viewerId = users.find(({ role }: { role: string }) => role === 'viewer').id
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [{ name: 'text', type: 'text' }] } })
  await app.call('/api/v1/tables/notes/records', { as: 'admin', body: { text: 'one' } })
})

test('an administrator reads as another user and writes nothing, until the view ends', async () => {
  expect((await send('/api/v1/access/view', 'POST', { userId: viewerId })).status).toBe(204)
  expect(await me()).toMatchObject({ user: { id: viewerId, role: 'viewer' }, viewedBy: { name: 'admin' } })
  expect((await send('/api/v1/tables/notes/records/1')).status).toBe(200)
  expect((await send('/api/v1/users')).status).toBe(403)
  const viewedUser = { create: false, update: false, delete: false }
  expect((await json(send('/api/v1/tables/notes'))).can).toMatchObject({ create: false, update: false, viewedUser })
  for (const [path, method] of [
    ['/api/v1/tables/notes/records', 'POST'],
    ['/api/v1/tables/notes/records/1', 'PATCH'],
    ['/api/v1/auth/tokens', 'POST'],
    ['/api/v1/access/view', 'POST'],
  ] as const)
    expect([path, (await send(path, method, { text: 'x', name: 'x', userId: viewerId })).status]).toEqual([path, 403])
  expect((await send('/api/v1/access/view', 'DELETE')).status).toBe(204)
  expect(await me()).toMatchObject({ user: { role: 'admin' } })
  expect((await me()).viewedBy).toBeUndefined()
  const { entries } = await json(app.call('/api/v1/audit', { as: 'admin' }))
  const kinds = entries.map(({ kind }: { kind: string }) => kind)
  expect([kinds.includes('view_began'), kinds.includes('view_ended')]).toEqual([true, true])
})

test('what a plugin writes in the name of the viewed user is refused, also by GET and at a public endpoint', async () => {
  const { users } = await json(app.call('/api/v1/users', { as: 'admin' }))
  const { id: userId } = users.find(({ role }: { role: string }) => role === 'editor')
  expect((await send('/api/v1/access/view', 'POST', { userId })).status).toBe(204)
  const viewedUser = { create: true, update: true, delete: true }
  expect((await json(send('/api/v1/tables/notes'))).can).toMatchObject({ create: false, update: false, delete: false, viewedUser })
  for (const [method, body] of [['GET'], ['POST', {}]] as const)
    expect([method, (await send('/api/v1/custom/probe/add', method, body)).status]).toEqual([method, 403])
  expect((await send('/api/v1/access/view', 'DELETE')).status).toBe(204)
  expect((await json(send('/api/v1/tables/notes/records'))).records).toHaveLength(1)
  expect((await send('/api/v1/custom/probe/add')).status).toBe(200)
})

test('documents are read, also by a form, and neither kept in a record nor an occasion to write', async () => {
  expect((await send('/api/v1/access/view', 'POST', { userId: viewerId })).status).toBe(204)
  const path = '/api/v1/documents/probe/'
  const form = (name: string, fields: Record<string, string>) =>
    fetch(app.url + path + name, { method: 'POST', headers: { cookie }, body: new URLSearchParams(fields) })
  for (const [name, fields, expected] of [
    ['own', { id: '1' }, 'one'],
    ['open', {}, 'read'],
  ] as const) {
    const made = await form(name, fields)
    expect([name, made.status, await made.text()]).toEqual([name, 200, expected])
  }
  const saveTo = { table: 'notes', pk: 1, column: 'text' }
  for (const name of ['own?id=1', 'open']) await expectProblem(await send(path + name, 'POST', { saveTo }), 403, 'forbidden')
  await expectProblem(await form('open', { writes: 'true' }), 403, 'forbidden')
  expect((await json(send('/api/v1/tables/notes/records'))).records).not.toContainEqual(expect.objectContaining({ text: 'by a template' }))
  expect((await send('/api/v1/access/view', 'DELETE')).status).toBe(204)
})

test('the view ends by itself with the user, and with the rights of the administrator', async () => {
  await send('/api/v1/access/view', 'POST', { userId: viewerId })
  await app.deps.db.query('update rowhouse.users set disabled_at = now() where id = $1', [viewerId])
  expect(await me()).toMatchObject({ user: { role: 'admin' } })
  await app.deps.db.query('update rowhouse.users set disabled_at = null where id = $1', [viewerId])
  await app.deps.db.query(`update rowhouse.users set role = 'editor' where role = 'admin'`)
  expect(await me()).toMatchObject({ user: { role: 'editor' } })
  await app.deps.db.query(`update rowhouse.users set role = 'admin' where role = 'editor' and email like 'admin@%'`)
  await send('/api/v1/access/view', 'DELETE')
})

describe('a view that has ended by itself', () => {
  const change = (id: string, method: string, body?: object) => app.call(`/api/v1/users/${id}`, { as: 'admin', method, body })
  /** An administrator, who views as somebody in the session of `headers`. */
  const beginAs = async () => {
    const [admin, viewed] = [await makePerson(app, 'admin'), await makePerson(app, 'viewer')]
    const headers = { cookie: await signIn(app, admin.email) }
    const begun = await app.call('/api/v1/access/view', { headers, body: { userId: viewed.user.id } })
    expect(begun.status).toBe(204)
    return { admin: admin.user, token: admin.token, viewed: viewed.user, headers }
  }
  const callerOf = async (headers: { cookie: string }) => {
    const { user, viewedBy } = await json(app.call('/auth/me', { headers }))
    return { id: user.id, viewedBy }
  }
  const endOf = async (id: string) => {
    const { entries } = await json(app.call('/api/v1/audit?kind=view_ended', { as: 'admin' }))
    return entries.filter(({ subjectId }: { subjectId: string }) => subjectId === id)
  }

  test('does not come back with the user, who was disabled and is enabled again', async () => {
    const { admin, viewed, headers } = await beginAs()
    for (const disabled of [true, false]) {
      expect((await change(viewed.id, 'PATCH', { disabled })).status).toBe(200)
      expect(await callerOf(headers)).toEqual({ id: admin.id, viewedBy: undefined })
    }
    expect(await endOf(viewed.id)).toHaveLength(1)
  })

  test('does not come back with the role of the administrator, who was an editor meanwhile', async () => {
    const { admin, viewed, headers } = await beginAs()
    for (const role of ['editor', 'admin']) {
      expect((await change(admin.id, 'PATCH', { role })).status).toBe(200)
      expect(await callerOf(headers)).toEqual({ id: admin.id, viewedBy: undefined })
    }
    expect(await endOf(viewed.id)).toHaveLength(1)
  })

  test('with the deletion of the user leaves the administrator signed in', async () => {
    const { admin, viewed, headers } = await beginAs()
    expect((await change(viewed.id, 'DELETE')).status).toBe(204)
    expect(await callerOf(headers)).toEqual({ id: admin.id, viewedBy: undefined })
    expect(await endOf(viewed.id)).toHaveLength(1)
  })

  test('does not come back after the administrator has ended it, although it was suspended then', async () => {
    const { admin, viewed, headers } = await beginAs()
    const set = (disabledAt: string) =>
      app.deps.db.query(`update rowhouse.users set disabled_at = ${disabledAt} where id = $1`, [viewed.id])
    await set('now()')
    expect((await app.call('/api/v1/access/view', { method: 'DELETE', headers })).status).toBe(204)
    await set('null')
    expect(await callerOf(headers)).toEqual({ id: admin.id, viewedBy: undefined })
    expect(await endOf(viewed.id)).toMatchObject([{ actorId: admin.id }])
  })

  type Beginning = Awaited<ReturnType<typeof beginAs>>
  test.each<[string, (begun: Beginning) => Promise<Response>]>([
    ['all sessions of the administrator', ({ admin }) => change(`${admin.id}/sessions`, 'DELETE')],
    ['the administrator, who is disabled', ({ admin }) => change(admin.id, 'PATCH', { disabled: true })],
    ['the password of the administrator, who gets a link for a new one', ({ admin }) => change(`${admin.id}/reset`, 'POST')],
    ['the administrator, who is deleted', ({ admin }) => change(admin.id, 'DELETE')],
    ['all other sessions', ({ token }) => app.call('/auth/sessions', { method: 'DELETE', headers: bearer(token) })],
    [
      'its session',
      async ({ token }) => {
        const { sessions } = await json(app.call('/auth/sessions', { headers: bearer(token) }))
        return app.call(`/auth/sessions/${sessions[0].id}`, { method: 'DELETE', headers: bearer(token) })
      },
    ],
    [
      'the password that the administrator changes elsewhere',
      async ({ admin }) => {
        const headers = { cookie: await signIn(app, admin.email) }
        return app.call('/auth/password', { body: { currentPassword: password, newPassword: `${password} 2` }, headers })
      },
    ],
  ])('is in the audit log when it ends with %s', async (_what, end) => {
    const begun = await beginAs()
    expect((await end(begun)).ok).toBe(true)
    expect(await endOf(begun.viewed.id)).toHaveLength(1)
  })
})

test('is for administrators with a session', async () => {
  expect((await app.call('/api/v1/access/view', { as: 'admin', body: { userId: viewerId } })).status).toBe(403)
  const other = await signInAs(app, 'editor')
  const answer = await fetch(`${app.url}/api/v1/access/view`, {
    method: 'POST',
    headers: { cookie: other, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: viewerId }),
  })
  expect(answer.status).toBe(403)
})

test('signing out ends the session of the administrator, also during a view', async () => {
  const own = await signInAs(app, 'admin')
  const as = (path: string, method = 'GET', body?: object) => app.call(path, { method, body, headers: { cookie: own } })
  expect((await as('/api/v1/access/view', 'POST', { userId: viewerId })).status).toBe(204)
  const { user, viewedBy } = await json(as('/auth/me'))
  expect(user.id).toBe(viewerId)
  const left = await as('/auth/logout', 'POST')
  expect([left.status, left.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
  expect((await as('/auth/me')).status).toBe(401)
  const { entries } = await json(app.call('/api/v1/audit', { as: 'admin' }))
  const found = ['logout', 'view_ended'].map((name) => entries.find(({ kind }: { kind: string }) => kind === name))
  expect(found).toMatchObject([{ actorId: viewedBy.id }, { actorId: viewedBy.id, subjectId: viewerId }])
})

test('a request of another site during a view has the administrator as its actor in the audit log', async () => {
  const headers = { cookie: await signInAs(app, 'admin') }
  expect((await app.call('/api/v1/access/view', { headers, body: { userId: viewerId } })).status).toBe(204)
  const { viewedBy } = await json(app.call('/auth/me', { headers }))
  const foreign = { ...headers, 'sec-fetch-site': 'cross-site' }
  await expectProblem(await app.call('/auth/tokens', { headers: foreign, body: { name: 'x' } }), 403, 'csrf_rejected')
  const { entries } = await json(app.call('/api/v1/audit?kind=csrf_rejected', { as: 'admin' }))
  expect(entries).toMatchObject([{ actorId: viewedBy.id, credential: 'cookie' }])
})
