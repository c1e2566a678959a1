import { beforeEach, describe, expect, test } from 'bun:test'
import { json, startApp, type TestApp } from '../support/app'
import { asJson, makeLink, openAsJson, statusOf } from '../support/links'
import { bearer, makePerson } from '../support/people'

const app = await startApp()
const other = await startApp({}, { target: app.target, users: false })
const { db } = app.deps
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'books',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'pages', type: 'integer' },
    ],
  },
})
await app.call('/api/v1/tables/books/records', {
  as: 'editor',
  body: Array.from({ length: 5 }, (_, index) => ({ title: `Book ${index + 1}`, pages: index })),
})
const record = { table: 'books', pk: 1 }

beforeEach(async () => {
  await db.query('truncate rowhouse.auth_throttle, rowhouse.auth_known_addresses')
})

/** All that tells one refusal from another, but its id and the time. */
async function bytesOf(response: Response) {
  const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return JSON.stringify([response.status, headers, (await response.text()).replace(/"requestId":"[^"]+"/, '')])
}

const unknown = `/s/${'x'.repeat(43)}`

describe('a link that has ended', () => {
  /** Each makes a link and ends it. */
  const endings: [string, () => Promise<string>][] = [
    ['is unknown', async () => unknown],
    ['is no link at all', async () => '/s/short'],
    ['is revoked', async () => ended(await makeLink(app, record), 'revoked_at = now()')],
    ['has expired', async () => ended(await makeLink(app, record), "expires_at = now() - interval '1 second'")],
    ['is used up', async () => ended(await makeLink(app, { ...record, maxOpens: 1 }), 'opens = 1')],
    ['asks for a password', async () => (await makeLink(app, { ...record, password: 'seven walrus onyx' })).path],
    [
      'has a token that was revoked',
      () => ofToken(async (id) => void (await db.query('delete from rowhouse.tokens where id = $1::uuid', [id]))),
    ],
    [
      'has a token that has expired',
      () => ofToken(async (id) => void (await db.query('update rowhouse.tokens set expires_at = now() where id = $1::uuid', [id]))),
    ],
    ['has an issuer who is disabled', () => ofPerson('update rowhouse.users set disabled_at = now() where id = $1::uuid')],
    ['shows a record that is gone', async () => withoutRecord()],
  ]

  const ended = async ({ id, path }: { id: string; path: string }, change: string) => {
    await db.query(`update rowhouse.share_links set ${change} where id = $1::uuid`, [id])
    return path
  }

  async function ofToken(end: (id: string) => Promise<void>): Promise<string> {
    const made = await json(app.call('/auth/tokens', { as: 'editor', body: { name: 'partner', scope: 'write' } }))
    const { url } = await json(app.call('/api/v1/links', { headers: bearer(made.token), body: record }))
    expect(await statusOf(app, url.slice(app.url.length))).toBe(200)
    await end(made.id)
    return url.slice(app.url.length)
  }

  async function ofPerson(statement: string): Promise<string> {
    const { user, token } = await makePerson(app)
    const { url } = await json(app.call('/api/v1/links', { headers: bearer(token), body: record }))
    expect(await statusOf(app, url.slice(app.url.length))).toBe(200)
    await db.query(statement, [user.id])
    return url.slice(app.url.length)
  }

  async function withoutRecord(): Promise<string> {
    const { id } = await json(app.call('/api/v1/tables/books/records', { as: 'editor', body: { title: 'Gone' } }))
    const { path } = await makeLink(app, { table: 'books', pk: id })
    await app.call(`/api/v1/tables/books/records/${id}`, { as: 'editor', method: 'DELETE' })
    return path
  }

  test.each(endings)('and %s gets the one answer, on every instance, as a page, as JSON and by HEAD', async (_how, make) => {
    const path = await make()
    const asked = (where: TestApp, at: string, headers: Record<string, string>, method = 'GET') => where.call(at, { method, headers })
    for (const where of [app, other]) {
      for (const headers of [asJson, { accept: 'text/html' }, { accept: 'text/html', 'accept-language': 'de' }]) {
        expect(await bytesOf(await asked(where, path, headers))).toBe(await bytesOf(await asked(app, unknown, headers)))
      }
      expect((await asked(where, path, {}, 'HEAD')).status).toBe(404)
    }
  })

  test.each(endings)('and %s answers a wrong password as every other', async (_how, make) => {
    const path = await make()
    const guess = (at: string) =>
      app.call(at, { body: 'password=wrong+guess', headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    expect(await bytesOf(await guess(path))).toBe(await bytesOf(await guess(unknown)))
    const headers = { ...asJson, 'x-link-password': 'wrong guess' }
    expect(await bytesOf(await app.call(path, { headers }))).toBe(await bytesOf(await app.call(unknown, { headers })))
  })

  test('says its state to its maker', async () => {
    const { links } = await json(app.call('/api/v1/links?all=true&limit=1000', { as: 'admin' }))
    const states = new Set(links.map(({ state }: { state: string }) => state))
    expect([...states].sort()).toEqual(['active', 'expired', 'issuerDisabled', 'revoked', 'tokenEnded', 'usedUp'])
  })
})

describe('a link that opens at most so many times', () => {
  test('opens exactly so often, however many ask at once at two instances', async () => {
    const { id, path } = await makeLink(app, { ...record, maxOpens: 5 })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? app : other).call(path, { headers: index % 3 ? asJson : {} })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(35)
    const [row] = await db.query<{ opens: number }>('select opens from rowhouse.share_links where id = $1::uuid', [id])
    expect(row!.opens).toBe(5)
  })

  test('does not count HEAD, and shows nothing to a browser that loads it beforehand', async () => {
    const { path } = await makeLink(app, { ...record, maxOpens: 1 })
    for (let time = 0; time < 3; time++) expect((await app.call(path, { method: 'HEAD' })).status).toBe(200)
    const beforehand: Record<string, string>[] = [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
    ]
    for (const headers of beforehand) {
      const response = await app.call(path, { headers: { ...headers, ...asJson } })
      expect(response.status).toBe(503)
      expect(await response.text()).not.toContain('Book 1')
      expect((await app.call(unknown, { headers: { ...headers, ...asJson } })).status).toBe(503)
    }
    expect(await statusOf(app, path)).toBe(200)
    expect(await statusOf(app, path)).toBe(404)
  })

  test('does not count what belongs to an opening: its following pages', async () => {
    const { path } = await makeLink(app, { table: 'books', query: 'select=title&order=title&limit=2', maxOpens: 1 })
    const titles: string[] = []
    for (let next: string | null = path; next !== null; ) {
      const page = await openAsJson(app, next)
      titles.push(...page.records.map(({ title }: { title: string }) => title))
      next = page.next
    }
    expect(titles).toEqual(['Book 1', 'Book 2', 'Book 3', 'Book 4', 'Book 5'])
    expect(await statusOf(app, path)).toBe(404)
  })

  test('knows an opening of another link, an older one and one that was made up for none', async () => {
    const one = await makeLink(app, { table: 'books', query: 'limit=1', maxOpens: 1 })
    const two = await makeLink(app, { table: 'books', query: 'limit=1', maxOpens: 1 })
    const { next } = await openAsJson(app, one.path)
    const opening = new URLSearchParams(next.slice(next.indexOf('?'))).get('opening')!
    expect(await statusOf(app, `${one.path}?opening=${opening}`)).toBe(200)
    await openAsJson(app, two.path)
    const [ends, mac] = opening.split('.') as [string, string]
    const wrong = [
      `${Number(ends) + 1000}.${mac}`,
      `${ends}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`,
      `1000000000.${mac}`,
      `${ends}`,
      '',
    ]
    expect(await statusOf(app, `${two.path}?opening=${opening}`)).toBe(404)
    for (const each of wrong) expect(await statusOf(app, `${one.path}?opening=${each}`)).toBe(404)
  })

  test('ends what was opened, too, when it is revoked', async () => {
    const { id, path } = await makeLink(app, { table: 'books', query: 'limit=1' })
    const { next } = await openAsJson(app, path)
    expect(await statusOf(app, next)).toBe(200)
    await app.call(`/api/v1/links/${id}`, { as: 'editor', method: 'DELETE' })
    expect(await statusOf(app, next)).toBe(404)
  })
})

describe('the rights of the issuer', () => {
  test('are those of each opening: a table that a token does not reach, a column that is gone', async () => {
    await app.call('/api/v1/tables', {
      as: 'admin',
      body: {
        name: 'people',
        columns: [
          { name: 'name', type: 'text' },
          { name: 'salary', type: 'integer' },
        ],
      },
    })
    await app.call('/api/v1/tables/people/records', { as: 'editor', body: { name: 'Ada', salary: 1000 } })
    const { path } = await makeLink(app, { table: 'people', pk: 1, query: 'select=name,salary' })
    const whole = await makeLink(app, { table: 'people', pk: 1 })
    const filtered = await makeLink(app, { table: 'people', query: 'salary=gt.1&select=name' })
    const only = await makeLink(app, { table: 'people', pk: 1, query: 'select=salary' })
    expect((await openAsJson(app, path)).record).toEqual({ name: 'Ada', salary: 1000 })
    await app.call('/api/v1/tables/people/columns/salary?confirm=salary', { as: 'admin', method: 'DELETE' })
    for (const where of [app, other]) {
      expect((await openAsJson(where, path)).record).toEqual({ name: 'Ada' })
      expect((await openAsJson(where, whole.path)).record).toEqual({ id: 1, name: 'Ada' })
      expect(await statusOf(where, filtered.path)).toBe(404)
      expect(await statusOf(where, only.path)).toBe(404)
    }
    await app.call('/api/v1/tables/people', { as: 'admin', method: 'PATCH', body: { name: 'staff' } })
    expect((await openAsJson(other, whole.path)).table).toBe('staff')
    await app.call('/api/v1/tables/staff?confirm=staff', { as: 'admin', method: 'DELETE' })
    for (const where of [app, other]) expect(await statusOf(where, whole.path)).toBe(404)
  })

  test('are the only ones: credentials of the visitor change nothing, and get no cookie', async () => {
    const { path } = await makeLink(app, record)
    const plain = await openAsJson(app, path)
    for (const headers of [bearer(app.tokens.admin), bearer('x'), { cookie: 'service_session=x' }] as Record<string, string>[]) {
      const response = await app.call(path, { headers: { ...asJson, ...headers } })
      expect(await json(response)).toEqual(plain)
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect(await statusOf(app, unknown, bearer(app.tokens.admin))).toBe(404)
  })

  test('are to read: no other method does anything', async () => {
    const { path } = await makeLink(app, record)
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const response = await app.call(path, { method })
      expect(response.status).toBe(405)
      expect(await response.text()).not.toContain(path)
    }
  })
})
