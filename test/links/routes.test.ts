import { describe, expect, test } from 'bun:test'
import { pruneLinks } from '../../src/links/store'
import { json, startApp } from '../support/app'
import { asJson, makeLink, openAsJson, statusOf } from '../support/links'
import { bearer } from '../support/people'
import { expectProblem } from '../support/problem'
import { signInAs } from '../support/session'

const app = await startApp()
const { db } = app.deps
const columns = [
  { name: 'title', type: 'text' },
  { name: 'pages', type: 'integer' },
]
const books = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns } }))
const notes = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [{ name: 'text', type: 'text' }] } }))
await app.call('/api/v1/tables/books/records', {
  as: 'editor',
  body: [
    { title: 'Emma', pages: 474 },
    { title: 'Persuasion', pages: 236 },
  ],
})
await app.call('/api/v1/tables/notes/records', { as: 'editor', body: { text: 'private' } })
const links = '/api/v1/links'
const record = { table: 'books', pk: 1 }

const tokenWith = async (more: object) =>
  (await json(app.call('/auth/tokens', { as: 'editor', body: { name: 'partner', ...more } }))) as { id: string; token: string }

describe('making a link', () => {
  test('answers its address once, and keeps the hash of its secret only', async () => {
    const response = await app.call(links, { as: 'editor', body: { ...record, query: 'select=title', maxOpens: 3 } })
    expect(response.status).toBe(201)
    const link = await json(response)
    expect(link).toEqual({
      id: expect.any(String),
      kind: 'record',
      table: 'books',
      tableId: books.id,
      pk: '1',
      column: null,
      fileId: null,
      document: null,
      query: 'select=title',
      state: 'active',
      expiresAt: null,
      hasPassword: false,
      maxOpens: 3,
      opens: 0,
      lastOpenedAt: null,
      createdAt: expect.any(String),
      userId: expect.any(String),
      tokenId: expect.any(String),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/s\/[A-Za-z0-9_-]{43}$/),
    })
    const secret = link.url.slice(-43)
    const [row] = await db.query<{ row: string; secret_hash: string }>(
      'select l::text as row, secret_hash from rowhouse.share_links l where id = $1::uuid',
      [link.id],
    )
    expect(row!.secret_hash).toBe(new Bun.CryptoHasher('sha256').update(secret).digest('base64url'))
    expect(row!.row).not.toContain(secret)
  })

  test('without an end, also where null says so', async () => {
    const response = await app.call(links, { as: 'editor', body: { ...record, expiresAt: null } })
    expect([response.status, (await json(response)).expiresAt]).toEqual([201, null])
    const { errors } = await json(app.call(links, { as: 'editor', body: { ...record, expiresAt: '2099-01-01T00:00:00' } }))
    expect(errors).toEqual([{ path: '/expiresAt', message: expect.stringContaining('with an offset from UTC') }])
  })

  test.each([
    ['a stranger', undefined, record, 401, 'unauthenticated'],
    ['a table that is not there', 'editor', { table: 'none' }, 404, 'not_found'],
    ['a record that is not there', 'editor', { table: 'books', pk: 99 }, 404, 'not_found'],
    ['a key that is none', 'editor', { table: 'books', pk: 'x' }, 404, 'not_found'],
    ['a column that is not there', 'editor', { ...record, query: 'select=salary' }, 400, 'invalid_request'],
    ['a filter of one record', 'editor', { ...record, query: 'title=eq.Emma' }, 400, 'invalid_request'],
    ['a list by a column that is not there', 'editor', { table: 'books', query: 'salary=gt.1' }, 400, 'invalid_request'],
    ['a list with a cursor', 'editor', { table: 'books', query: 'cursor=x' }, 400, 'invalid_request'],
    ['a list with an offset', 'editor', { table: 'books', query: 'offset=1' }, 400, 'invalid_request'],
    ['a page that is too long', 'editor', { table: 'books', query: 'limit=201' }, 400, 'invalid_request'],
    ['nothing', 'editor', {}, 422, 'validation_failed'],
    ['a file without its column', 'editor', { ...record, fileId: Bun.randomUUIDv7() }, 422, 'validation_failed'],
    ['a file that is not there', 'editor', { ...record, column: 'title', fileId: Bun.randomUUIDv7() }, 404, 'not_found'],
    [
      'two kinds of things',
      'editor',
      { ...record, query: 'select=id', document: { plugin: 'a', template: 'b' } },
      422,
      'validation_failed',
    ],
    ['a document that is not there', 'editor', { document: { plugin: 'a', template: 'b' } }, 404, 'not_found'],
    ['half of a record of a document', 'editor', { table: 'books', document: { plugin: 'a', template: 'b' } }, 422, 'validation_failed'],
    ['an end that has passed', 'editor', { ...record, expiresAt: '2020-01-01T00:00:00Z' }, 422, 'validation_failed'],
    ['an end that is none', 'editor', { ...record, expiresAt: '2030-02-31T00:00:00Z' }, 422, 'validation_failed'],
    ['a common password', 'editor', { ...record, password: 'password1' }, 422, 'validation_failed'],
    ['a short password', 'editor', { ...record, password: 'short' }, 422, 'validation_failed'],
    ['no opening at all', 'editor', { ...record, maxOpens: 0 }, 422, 'validation_failed'],
    ['an unknown word', 'editor', { ...record, maxopens: 1 }, 422, 'validation_failed'],
  ] as const)('refuses %s', async (_what, as, body, status, code) => {
    await expectProblem(await app.call(links, { as, body }), status, code)
  })

  test('is for everybody who is signed in, a viewer, too', async () => {
    const cookie = await signInAs(app, 'viewer')
    expect((await app.call(links, { headers: { cookie }, body: record })).status).toBe(201)
    const crossSite = { cookie, 'sec-fetch-site': 'cross-site' }
    await expectProblem(await app.call(links, { headers: crossSite, body: record }), 403, 'csrf_rejected')
  })

  test('takes a token with the scope write, and only for its tables', async () => {
    const reader = await tokenWith({ scope: 'read' })
    await expectProblem(await app.call(links, { headers: bearer(reader.token), body: record }), 403, 'insufficient_scope')
    const writer = await tokenWith({ scope: 'write', tables: [books.id] })
    expect((await app.call(links, { headers: bearer(writer.token), body: record })).status).toBe(201)
    await expectProblem(await app.call(links, { headers: bearer(writer.token), body: { table: 'notes' } }), 403, 'insufficient_scope')
  })

  test('is possible a thousand times; then the oldest that has ended gives way, and with none of these it is refused', async () => {
    const [viewer] = await db.query<{ id: string }>("select id from rowhouse.users where email = 'viewer@example.org'")
    await db.query('delete from rowhouse.share_links where user_id = $1::uuid', [viewer!.id])
    await db.query(
      `insert into rowhouse.share_links (id, secret_hash, user_id, kind, table_id, revoked_at)
       select gen_random_uuid(), 'hash ' || n, $1::uuid, 'list', $2::uuid, case when n = 7 then now() end from generate_series(1, 1000) n`,
      [viewer!.id, books.id],
    )
    expect((await app.call(links, { as: 'viewer', body: record })).status).toBe(201)
    expect(await db.query("select from rowhouse.share_links where secret_hash = 'hash 7'")).toHaveLength(0)
    await expectProblem(await app.call(links, { as: 'viewer', body: record }), 409, 'conflict')
    await db.query("delete from rowhouse.share_links where secret_hash like 'hash %'")
  })
})

describe('the list of links', () => {
  test('has one’s own, filtered by table and record, a page at a time', async () => {
    await db.query('delete from rowhouse.share_links')
    const first = await makeLink(app, record)
    const second = await makeLink(app, { table: 'books' })
    const third = await makeLink(app, { table: 'notes' })
    await makeLink(app, record, 'viewer')
    const idsAt = async (query: string) =>
      (await json(app.call(`${links}${query}`, { as: 'editor' }))).links.map(({ id }: { id: string }) => id)
    expect(await idsAt('')).toEqual([third.id, second.id, first.id])
    expect(await idsAt('?table=books')).toEqual([second.id, first.id])
    expect(await idsAt(`?table=${books.id}&pk=1`)).toEqual([first.id])
    expect(await idsAt('?table=books&pk=2')).toEqual([])
    const page = await json(app.call(`${links}?limit=2`, { as: 'editor' }))
    expect(page.links).toHaveLength(2)
    expect(await idsAt(`?limit=2&cursor=${page.nextCursor}`)).toEqual([first.id])
  })

  test('shows those of everybody to administrators, who come with all their rights', async () => {
    expect((await json(app.call(`${links}?all=true`, { as: 'admin' }))).links).toHaveLength(4)
    await expectProblem(await app.call(`${links}?all=true`, { as: 'editor' }), 403, 'forbidden')
    const narrow = await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'narrow', scope: 'write' } }))
    await expectProblem(await app.call(`${links}?all=true`, { headers: bearer(narrow.token) }), 403, 'insufficient_scope')
  })

  test('shows a token with a restriction to tables links to these only', async () => {
    const { token } = await tokenWith({ scope: 'read', tables: [notes.id] })
    const list = await json(app.call(links, { headers: bearer(token) }))
    expect(list.links.map(({ table }: { table: string }) => table)).toEqual(['notes'])
  })

  test('counts openings, and says when the last was', async () => {
    const { id, path } = await makeLink(app, { table: 'notes' })
    for (let time = 0; time < 2; time++) expect(await statusOf(app, path)).toBe(200)
    const { links: found } = await json(app.call(`${links}?table=notes`, { as: 'editor' }))
    expect(found.find((each: { id: string }) => each.id === id)).toMatchObject({ opens: 2, lastOpenedAt: expect.stringMatching(/Z$/) })
  })
})

describe('revoking a link', () => {
  test('closes it for the next request, once', async () => {
    const { id, path } = await makeLink(app, record)
    expect(await statusOf(app, path)).toBe(200)
    expect((await app.call(`${links}/${id}`, { as: 'editor', method: 'DELETE' })).status).toBe(204)
    expect(await statusOf(app, path)).toBe(404)
    await expectProblem(await app.call(`${links}/${id}`, { as: 'editor', method: 'DELETE' }), 404, 'not_found')
    const [found] = (await json(app.call(links, { as: 'editor' }))).links
    expect(found).toMatchObject({ id, state: 'revoked' })
  })

  test('is for its maker and for administrators', async () => {
    const { id, path } = await makeLink(app, record)
    await expectProblem(await app.call(`${links}/${id}`, { as: 'viewer', method: 'DELETE' }), 404, 'not_found')
    const elsewhere = await tokenWith({ scope: 'write', tables: [notes.id] })
    await expectProblem(await app.call(`${links}/${id}`, { headers: bearer(elsewhere.token), method: 'DELETE' }), 404, 'not_found')
    expect(await statusOf(app, path)).toBe(200)
    expect((await app.call(`${links}/${id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
    expect(await statusOf(app, path)).toBe(404)
  })
})

test('links are in the audit log: made, opened (once an hour, with a count) and revoked', async () => {
  const { id, path } = await makeLink(app, record)
  for (let time = 0; time < 3; time++) await openAsJson(app, path)
  await app.call(`${links}/${id}`, { as: 'editor', method: 'DELETE' })
  await app.call(path, { headers: asJson })
  const { entries } = await json(app.call('/api/v1/audit?limit=20', { as: 'admin' }))
  const mine = entries.filter(({ subjectId }: { subjectId: string }) => subjectId === id)
  expect(mine.map(({ kind, result, count }: { kind: string; result: string; count: number }) => [kind, result, count])).toEqual([
    ['link_revoked', 'ok', 1],
    ['link_opened', 'ok', 3],
    ['link_created', 'ok', 1],
  ])
})

test('openings of very many links within an hour are one entry for each issuer', async () => {
  // Of the next hour, too, which may begin meanwhile.
  await db.query(`insert into rowhouse.audit (id, kind, result, credential, address, folded_hour, fold_key)
    select gen_random_uuid(), 'login', 'failed', 'none', '', date_trunc('hour', now(), 'UTC') + hours * interval '1 hour', 'made up ' || n
    from generate_series(1, 500) n, generate_series(0, 1) hours`)
  const made = [await makeLink(app, record), await makeLink(app, record), await makeLink(app, record, 'viewer')]
  for (const { path } of made) expect(await statusOf(app, path)).toBe(200)
  const rows = await db.query<{ fold_key: string; count: number }>(
    `select fold_key, sum(count)::int as count from rowhouse.audit where kind = 'link_opened' and subject_id is null
     group by fold_key order by count`,
  )
  expect(rows.map(({ count }) => count)).toEqual([1, 2])
  const ids = `{${made.map(({ id }) => id).join()}}`
  expect(await db.query("select from rowhouse.audit where kind = 'link_opened' and subject_id = any($1::uuid[])", [ids])).toEqual([])
})

test('links are forgotten a month after they were revoked or have expired', async () => {
  const [revoked, expired, fresh] = [await makeLink(app, record), await makeLink(app, record), await makeLink(app, record)]
  await db.query("update rowhouse.share_links set revoked_at = now() - interval '31 days' where id = $1::uuid", [revoked!.id])
  await db.query("update rowhouse.share_links set expires_at = now() - interval '31 days' where id = $1::uuid", [expired!.id])
  await pruneLinks(db)
  const left = await db.query<{ id: string }>('select id from rowhouse.share_links where id = any($1::uuid[]) order by id', [
    `{${[revoked!.id, expired!.id, fresh!.id].join()}}`,
  ])
  expect(left.map(({ id }) => id)).toEqual([fresh!.id])
})
