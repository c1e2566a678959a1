import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { bearer, makePerson } from '../../support/people'
import { signInAs } from '../../support/session'
import { rpc, shop } from '../../support/shop'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop', ROWHOUSE_RPC: rpc.join(',') })
await app.deps.db.sql.unsafe(shop)

const inShop = { 'accept-profile': 'shop', 'content-profile': 'shop' }
const get = (path: string, headers: Record<string, string> = {}) => app.call(`/rest/v1${path}`, { headers: { ...inShop, ...headers } })

/** A token of an editor, with less than their rights. */
async function tokenWith(rights: { scope?: string; tables?: string[] }): Promise<Record<string, string>> {
  const cookie = await signInAs(app, 'editor')
  const { token } = await json(app.call('/auth/tokens', { body: { name: 'narrow', ...rights }, headers: { cookie } }))
  return bearer(token)
}

const idOf = async (name: string): Promise<string> => (await json(app.call(`/api/v1/tables/shop.${name}`, { as: 'admin' }))).id

describe('who may', () => {
  test('a stranger gets PostgREST’s body and our challenge', async () => {
    const response = await get('/books')
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="service"')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({ code: 'PGRST302', details: null, hint: expect.any(String), message: expect.any(String) })
  })

  test('a wrong token is refused, whatever the apikey header says', async () => {
    const response = await get('/books', { ...bearer('y'.repeat(43)), apikey: app.tokens.admin })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="service", error="invalid_token"')
    expect(await json(response)).toMatchObject({ code: 'PGRST301' })
  })

  test('the apikey header alone is nobody, and stands in no event', async () => {
    expect((await get('/books', { apikey: app.tokens.admin })).status).toBe(401)
    expect(JSON.stringify(app.events)).not.toContain(app.tokens.admin)
  })

  test('a token in the address is no filter', async () => {
    const response = await get(`/books?select=id&id=eq.1&token=${app.tokens.viewer}`)
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: [{ id: 1 }] })
  })

  test('an ended user is refused at once', async () => {
    const { user, token } = await makePerson(app)
    expect((await get('/books?limit=1', bearer(token))).status).toBe(200)
    await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'PATCH', body: { disabled: true } })
    expect((await get('/books?limit=1', bearer(token))).status).toBe(401)
  })

  test.each(['POST', 'PATCH', 'PUT', 'DELETE'])('a viewer cannot %s', async (method) => {
    const body = method === 'DELETE' ? undefined : { email: 'v@x.org' }
    const response = await app.call('/rest/v1/people?email=eq.v@x.org', { as: 'viewer', method, body, headers: inShop })
    expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 403, code: '42501' })
  })

  test('a token that may read cannot write, nor call by POST', async () => {
    const reader = await tokenWith({ scope: 'read' })
    expect((await get('/books?limit=1', reader)).status).toBe(200)
    expect((await get('/rpc/add_up?a=1', reader)).status).toBe(200)
    for (const path of ['/people', '/rpc/add_up']) {
      const response = await app.call(`/rest/v1${path}`, { method: 'POST', body: { a: 1 }, headers: { ...inShop, ...reader } })
      expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 403, code: '42501' })
      expect(response.headers.get('www-authenticate')).toContain('insufficient_scope')
    }
  })

  test('a token for one table reaches no other, not by embedding and not by a function', async () => {
    const narrow = await tokenWith({ tables: [await idOf('books')] })
    expect((await get('/books?select=id&limit=1', narrow)).status).toBe(200)
    expect(await json(get('/authors', narrow))).toMatchObject({ code: '42501' })
    expect(await json(get('/books?select=id,authors!books_author_id_fkey(name)', narrow))).toMatchObject({ code: 'PGRST200' })
    expect(await json(get('/rpc/names', narrow))).toMatchObject({ code: '42501' })
    expect(Object.keys((await json(get('/', narrow))).definitions)).toEqual(['books'])
  })

  test('another site writes nothing in a user’s name', async () => {
    const headers = { ...inShop, cookie: await signInAs(app, 'editor'), 'sec-fetch-site': 'cross-site' }
    for (const path of ['/people', '/rpc/visit']) {
      const response = await app.call(`/rest/v1${path}`, { method: 'POST', body: { email: 'c@x.org' }, headers })
      expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 403, code: 'csrf_rejected' })
    }
    expect(
      (
        await app.call('/rest/v1/people', {
          method: 'POST',
          body: { email: 'c@x.org' },
          headers: { ...headers, 'sec-fetch-site': 'same-origin' },
        })
      ).status,
    ).toBe(201)
  })

  test('a function that says it changes nothing cannot, and GET calls no other', async () => {
    const visits = async () => (await json(get('/people?select=visits&email=eq.a@x.org', bearer(app.tokens.viewer))))[0].visits
    const before = await visits()
    expect((await get('/rpc/visit?who=a@x.org', bearer(app.tokens.editor))).status).toBe(405)
    // It calls one that does.
    expect(await json(get('/rpc/sly', bearer(app.tokens.editor)))).toMatchObject({ code: '25006' })
    expect(await visits()).toBe(before)
  })

  test('a function that returns more values than max-affected allows is undone', async () => {
    const notes = async () => (await json(get('/notes', bearer(app.tokens.viewer)))).length
    const before = await notes()
    expect(before).toBeGreaterThan(1)
    const headers = { ...inShop, ...bearer(app.tokens.editor), prefer: 'handling=strict, max-affected=1' }
    expect(await json(app.call('/rest/v1/rpc/clear_notes', { body: {}, headers }))).toMatchObject({ code: 'PGRST124' })
    expect(await notes()).toBe(before)
  })
})

describe('addresses and methods', () => {
  test('an unknown table is not found, with the nearest', async () => {
    const response = await get('/bokks', bearer(app.tokens.viewer))
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 404,
      body: {
        code: 'PGRST205',
        details: null,
        hint: "Perhaps you meant the table 'shop.books'",
        message: "Could not find the table in the schema 'shop'",
      },
    })
  })

  test('other addresses and methods are refused in the same form', async () => {
    expect(await json(get('/a/b', bearer(app.tokens.viewer)))).toMatchObject({ code: 'PGRST125' })
    const odd = await app.call('/rest/v1/books', { as: 'viewer', method: 'PROPFIND' })
    expect({ status: odd.status, allow: odd.headers.get('allow'), code: (await json(odd)).code }).toEqual({
      status: 405,
      allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
      code: 'PGRST117',
    })
  })

  test('OPTIONS says what there is, to anybody', async () => {
    const response = await app.call('/rest/v1/books', { method: 'OPTIONS' })
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({
      status: 204,
      allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
    })
  })

  test('the root describes the tables of a schema', async () => {
    const response = await get('/', bearer(app.tokens.viewer))
    expect(response.headers.get('content-type')).toBe('application/openapi+json; charset=utf-8')
    const { swagger, definitions, paths } = await json(response)
    expect({ swagger, keys: Object.keys(paths['/books']).sort() }).toEqual({ swagger: '2.0', keys: ['delete', 'get', 'patch', 'post'] })
    expect(definitions.books.properties.id).toEqual({
      description: 'Note:\nThis is a Primary Key.<pk/>',
      format: 'integer',
      type: 'integer',
    })
    expect(definitions.books.properties.author_id.description).toContain("<fk table='authors' column='id'/>")
    expect(definitions.books.properties.tags).toMatchObject({ type: 'array', items: { type: 'string' } })
  })

  test('too large a body is refused', async () => {
    const response = await app.call('/rest/v1/notes', {
      as: 'editor',
      body: JSON.stringify({ note: 'x'.repeat(11_000_000) }),
      headers: inShop,
    })
    expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 413, code: 'payload_too_large' })
  })
})

describe('tables that Rowhouse made', () => {
  test('are in the schema `data`, which comes first', async () => {
    const made = await app.call('/api/v1/tables', {
      as: 'admin',
      body: {
        name: 'my things',
        columns: [
          { name: 'naïve "x"', type: 'text' },
          { name: 'n', type: 'integer' },
        ],
      },
    })
    expect(made.status).toBe(201)
    const post = await app.call('/rest/v1/my%20things', {
      as: 'editor',
      body: [
        { 'naïve "x"': 'a', n: 1 },
        { 'naïve "x"': null, n: 2 },
      ],
      headers: { prefer: 'return=representation' },
    })
    expect(await post.json()).toEqual([
      { id: 1, 'naïve "x"': 'a', n: 1 },
      { id: 2, 'naïve "x"': null, n: 2 },
    ])
    const query = new URLSearchParams({ select: 'n,"naïve \\"x\\""', '"naïve \\"x\\""': 'eq.a' })
    expect(await json(app.call(`/rest/v1/my things?${query}`, { as: 'viewer' }))).toEqual([{ n: 1, 'naïve "x"': 'a' }])
  })

  test('give what was sent with every digit', async () => {
    await app.call('/api/v1/tables', {
      as: 'admin',
      body: {
        name: 'sums',
        columns: [
          { name: 'big', type: 'bigint' },
          { name: 'exact', type: 'decimal', options: { precision: 30, scale: 10 } },
        ],
      },
    })
    const sent = '{"big":9007199254740993,"exact":12345678901234567890.1234567890}'
    const response = await app.call('/rest/v1/sums?select=big,exact', {
      as: 'editor',
      body: sent,
      headers: { prefer: 'return=representation' },
    })
    expect(await response.text()).toBe('[{"big":9007199254740993,"exact":12345678901234567890.1234567890}]')
  })
})
