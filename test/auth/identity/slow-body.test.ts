import { describe, expect, test } from 'bun:test'
import { createToken } from '../../../src/auth/accounts/tokens'
import type { Role } from '../../../src/auth/model'
import { hashSecret } from '../../../src/auth/secret'
import { createUser } from '../../../src/users/service'
import { json, password, startApp } from '../../support/app'
import { endpoints, pluginsWith } from '../../support/plugins'
import { until } from '../../support/processes'

const plugins = pluginsWith({
  'notes/plugin.ts': endpoints(
    `{ method: 'POST', path: '/note', public: false, body: t.Object({ name: t.String() }), allow: () => true, handle: async ({ body, records }) => { await records('pets').create(body); return {} } }`,
    `{ method: 'POST', path: '/text', public: false, allow: () => true, handle: async ({ text, records }) => { await records('pets').create(JSON.parse(await text())); return {} } }`,
    `{ method: 'POST', path: '/open', public: true, allow: async ({ auth }) => !!(await auth.require()), handle: async ({ text, records }) => { await records('pets').create(JSON.parse(await text())); return {} } }`,
  ),
  'notes/sheet/template.ts': `import { documentTemplate } from 'rowhouse/plugin'
export default documentTemplate({ title: 'Sheet', public: false, allow: () => true, formats: { txt: 'sheet.liquid' },
  load: async ({ records }) => { await records('pets').create({ name: 'late' }); return {} } })`,
  'notes/sheet/sheet.liquid': 'A sheet.',
})
const app = await startApp({ ROWHOUSE_RPC: 'data.keep' }, { plugins })
const { db, passwords } = app.deps
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'pets', columns: [{ name: 'name', type: 'text' }] } })
await app.call('/api/v1/tables/pets/records', { as: 'editor', body: [{ name: 'Rex' }, { name: 'Tom' }] })
await db.sql.unsafe(`create function data.keep(name text) returns void language sql as $$ insert into data.pets (name) values ($1) $$`)
await app.deps.catalog.refresh()

let count = 0
async function caller(role: Role) {
  const { user } = await createUser(db, passwords, { email: `slow${count++}@example.org`, role, password }, null)
  const made = await createToken(db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'slow' }, null)
  return { user, token: made.token }
}

const isKnown = async (token: string) => {
  const used = await db.query('select from rowhouse.tokens where secret_hash = $1::text and last_used_at is not null', [hashSecret(token)])
  return used.length > 0
}

/** Sends all but the end of the body until the caller is known, does the work, and ends it more than a second later. */
async function sendSlowly(token: string, method: string, path: string, body: object, work: () => Promise<unknown>): Promise<Response> {
  const text = JSON.stringify(body)
  const stream = new ReadableStream({
    start: async (controller) => {
      controller.enqueue(new TextEncoder().encode(text.slice(0, -1)))
      await until('the caller is known', () => isKnown(token))
      await work()
      await Bun.sleep(1500)
      controller.enqueue(new TextEncoder().encode(text.slice(-1)))
      controller.close()
    },
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(app.url + path, { method, body: stream as BodyInit, headers })
}

const state = async () =>
  JSON.stringify(
    await db.sql`select (select json_agg(p order by id) from data.pets p) as pets, (select json_agg(name) from rowhouse.tables) as tables`,
  )
const name = { name: 'late' }
const records = '/api/v1/tables/pets/records'

const writes: [Role, string, string, object][] = [
  ['editor', 'POST', records, name],
  ['editor', 'PATCH', `${records}?name=eq.Rex`, name],
  ['editor', 'PATCH', `${records}/1`, name],
  ['editor', 'PUT', `${records}/1`, name],
  ['editor', 'POST', '/api/v1/batch', { operations: [{ method: 'POST', table: 'pets', body: name }] }],
  ['editor', 'POST', '/rest/v1/pets', name],
  ['editor', 'PATCH', '/rest/v1/pets?id=eq.1', name],
  ['editor', 'PUT', '/rest/v1/pets?id=eq.1', { id: 1, ...name }],
  ['editor', 'POST', '/rest/v1/rpc/keep', name],
  ['editor', 'POST', '/api/v1/custom/notes/note', name],
  ['editor', 'POST', '/api/v1/custom/notes/text', name],
  ['editor', 'POST', '/api/v1/custom/notes/open', name],
  ['editor', 'POST', '/api/v1/documents/notes/sheet', { params: {} }],
  ['admin', 'POST', '/api/v1/tables', { name: 'late', columns: [{ name: 'name', type: 'text' }] }],
]

const notForViewers = writes.filter(([, , path]) => !/rpc/.test(path))

describe('a body of more than a second', () => {
  test.concurrent.each(writes)('of %s whose token is revoked meanwhile writes nothing: %s %s', async (role, method, path, body) => {
    const { token, user } = await caller(role)
    const before = await state()
    const answer = await sendSlowly(token, method, path, body, () =>
      db.query('delete from rowhouse.tokens where user_id = $1::uuid', [user.id]),
    )
    expect([answer.status, (await json(answer)).code]).toEqual([401, path.startsWith('/rest/') ? 'PGRST301' : 'invalid_token'])
    expect(await state()).toBe(before)
  })

  test.concurrent.each(notForViewers)('of %s who becomes a viewer meanwhile writes nothing: %s %s', async (role, method, path, body) => {
    const { token, user } = await caller(role)
    const before = await state()
    const demote = () => db.query(`update rowhouse.users set role = 'viewer' where id = $1::uuid`, [user.id])
    const answer = await sendSlowly(token, method, path, body, demote)
    expect(answer.status).toBe(403)
    expect(await state()).toBe(before)
  })
})

test('a slow body of a caller who still may is written', async () => {
  for (const path of [records, '/rest/v1/pets']) {
    const { token } = await caller('editor')
    expect((await sendSlowly(token, 'POST', path, name, async () => {})).status).toBe(201)
  }
})

test('a slow body is written once, although its caller was changed meanwhile and had been cached', async () => {
  for (const path of [records, '/rest/v1/pets']) {
    const { token, user } = await caller('editor')
    for (let uses = 0; uses < 2; uses++) await app.call(records, { headers: { authorization: `Bearer ${token}` } })
    const change = () => db.query('update rowhouse.users set name = $2::text where id = $1::uuid', [user.id, `Changed for ${path}`])
    const sent = { name: `once ${path}` }
    expect((await sendSlowly(token, 'POST', path, sent, change)).status).toBe(201)
    const found = await db.query('select from data.pets where name = $1::text', [sent.name])
    expect(found).toHaveLength(1)
  }
})

test('a slow body is written by the rules of its end', async () => {
  for (const path of [records, '/rest/v1/pets']) {
    const { token } = await caller('editor')
    const save = async (create: string) => {
      const etag = (await app.call('/api/v1/access', { as: 'admin' })).headers.get('etag')!
      const rules = [{ group: 'everyone', table: 'pets', read: 'all', create, update: 'all', delete: 'all' }]
      expect(
        (await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules }, headers: { 'if-match': etag } })).status,
      ).toBe(200)
    }
    await save('all')
    expect((await sendSlowly(token, 'POST', path, name, () => save('none'))).status).toBe(403)
    await save('all')
  }
})
