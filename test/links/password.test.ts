import { beforeEach, describe, expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { behindProxy, letPass, tally } from '../support/guess'
import { asJson, makeLink, statusOf } from '../support/links'

const app = await startApp(behindProxy)
const { db, passwords } = app.deps
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } })
await app.call('/api/v1/tables/books/records', { as: 'editor', body: [{ title: 'Emma' }, { title: 'Persuasion' }] })
const record = { table: 'books', pk: 1 }
const password = 'Größe & seven walrus'
const unknown = `/s/${'x'.repeat(43)}`
const [home, away] = ['198.51.100.1', '198.51.100.2']

beforeEach(async () => {
  await db.query('truncate rowhouse.auth_throttle, rowhouse.auth_known_addresses')
})

/** The form of the page, sent by a browser. */
const enter = (path: string, text: string, from = home) =>
  app.call(path, {
    body: new URLSearchParams({ password: text }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': from, origin: 'null' },
  })

const cookieOf = (response: Response) => response.headers.getSetCookie()[0]!.split(';')[0]!

/** How many passwords are checked by argon2 while `work` is done. */
async function checksIn(work: () => Promise<unknown>): Promise<number> {
  const { verify } = passwords
  let count = 0
  passwords.verify = (...asked) => {
    count++
    return verify(...asked)
  }
  await work().finally(() => {
    passwords.verify = verify
  })
  return count
}

describe('a link with a password', () => {
  test('opens by its form, with a cookie for this link alone', async () => {
    const { path } = await makeLink(app, { ...record, password })
    const closed = await app.call(path)
    expect([closed.status, closed.headers.getSetCookie()]).toEqual([404, []])
    expect(await closed.text()).toContain('<form method="post">')
    const opened = await enter(path, password)
    expect([opened.status, opened.headers.get('location')]).toEqual([303, path])
    expect(opened.headers.getSetCookie()).toEqual([
      expect.stringMatching(new RegExp(`^link_opening=\\d{10}\\.[\\w-]{43}; Max-Age=3600; Path=${path}; HttpOnly; SameSite=Strict$`)),
    ])
    const cookie = cookieOf(opened)
    const page = await app.call(path, { headers: { cookie } })
    expect(await page.text()).toContain('<h1 dir="auto">Emma</h1>')
    expect(page.headers.getSetCookie()).toEqual([])
    const other = await makeLink(app, { ...record, password })
    expect(await statusOf(app, other.path, { cookie })).toBe(404)
    expect(await statusOf(app, path, { cookie: `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}` })).toBe(404)
  })

  test('marks its cookie Secure where browsers use https', async () => {
    const { path } = await makeLink(app, { ...record, password })
    const response = await app.call(path, {
      body: new URLSearchParams({ password }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-proto': 'https' },
    })
    expect(response.headers.getSetCookie()[0]).toEndWith('; Secure')
  })

  test('opens for programs by the header X-Link-Password, in UTF-8', async () => {
    const { path } = await makeLink(app, { table: 'books', query: 'limit=1', password })
    const sent = Buffer.from(password).toString('latin1')
    const response = await app.call(path, { headers: { ...asJson, 'x-link-password': sent } })
    const { records, next } = (await response.json()) as { records: unknown[]; next: string }
    expect(records).toHaveLength(1)
    expect(await statusOf(app, next)).toBe(200)
    expect(await statusOf(app, path, { 'x-link-password': 'wrong' })).toBe(404)
    expect(response.headers.getSetCookie()).toEqual([])
  })

  test('counts an opening for each password that was right, and reads on by the cookie', async () => {
    const { path } = await makeLink(app, { table: 'books', query: 'limit=1', password, maxOpens: 1 })
    const opened = await enter(path, password)
    expect(opened.status).toBe(303)
    expect((await enter(path, password)).status).toBe(404)
    const page = await (await app.call(path, { headers: { cookie: cookieOf(opened) } })).text()
    const next = /href="([^"]+)" rel="next"/.exec(page)![1]!.replaceAll('&amp;', '&')
    // The address of a page that stands behind a password does not open without it.
    expect(next).not.toContain('opening=')
    expect(await statusOf(app, next)).toBe(404)
    expect(await statusOf(app, next, { cookie: cookieOf(opened) })).toBe(200)
  })

  test('keeps a hash of argon2id, and never the password', async () => {
    const { id } = await makeLink(app, { ...record, password })
    const [row] = await db.query<{ row: string; password_hash: string }>(
      'select l::text as row, password_hash from rowhouse.share_links l where id = $1::uuid',
      [id],
    )
    expect(row!.password_hash).toStartWith('$argon2id$')
    expect(row!.row).not.toContain('walrus')
  })

  test.each([
    ['JSON', '{"password":"x"}', 'application/json', 415],
    ['an endless form', `password=${'x'.repeat(5000)}`, 'application/x-www-form-urlencoded', 413],
    ['an endless password', `password=${'x'.repeat(257)}`, 'application/x-www-form-urlencoded', 404],
    ['no password', 'other=1', 'application/x-www-form-urlencoded', 404],
  ])('and an unknown one answer %s alike, and check nothing', async (_what, body, type, status) => {
    const { path } = await makeLink(app, { ...record, password })
    const checks = await checksIn(async () => {
      for (const each of [path, unknown]) {
        const response = await app.call(each, { body, headers: { 'content-type': type } })
        expect(response.status).toBe(status)
        expect(await response.text()).not.toContain('xxx')
      }
    })
    expect(checks).toBe(0)
  })
})

describe('the cost of a refusal', () => {
  const ended = async (change: string) => {
    const { id, path } = await makeLink(app, { ...record, password })
    await db.query(`update rowhouse.share_links set ${change} where id = $1::uuid`, [id])
    return path
  }
  const paths: [string, () => Promise<string>, string][] = [
    ['a wrong password', async () => (await makeLink(app, { ...record, password })).path, 'wrong'],
    ['an unknown link', async () => unknown, password],
    ['a link without a password', async () => (await makeLink(app, record)).path, password],
    ['the right password of a revoked link', () => ended('revoked_at = now()'), password],
    ['the right password of an expired link', () => ended('expires_at = now()'), password],
    ['the right password of a link that is used up', () => ended('max_opens = 1, opens = 1'), password],
  ]

  test.each(paths)('is one check of argon2 for %s', async (_what, make, text) => {
    const path = await make()
    expect(await checksIn(async () => expect((await enter(path, text)).status).toBe(404))).toBe(1)
  })

  test.each(paths)('is none for opening without a password: %s', async (_what, make) => {
    const path = await make()
    expect(await checksIn(() => app.call(path))).toBe(0)
  })

  test('is one check for a program that sends a password to a link that has ended', async () => {
    const path = await ended('revoked_at = now()')
    const send = (at: string) => app.call(at, { headers: { ...asJson, 'x-link-password': 'seven walrus' } })
    expect(await checksIn(() => send(path))).toBe(1)
    expect(await checksIn(() => send(unknown))).toBe(1)
  })
})

describe('guesses at the password of a link', () => {
  const statuses = async (path: string, times: number, text = 'wrong') => {
    const all: number[] = []
    for (let time = 0; time < times; time++) all.push((await enter(path, text)).status)
    return all
  }

  test('get five answers from one address, then 429 with the time to wait, also when they are right', async () => {
    const { path } = await makeLink(app, { ...record, password })
    expect(await statuses(path, 6)).toEqual([404, 404, 404, 404, 404, 429])
    const refused = await enter(path, password)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(refused.headers.getSetCookie()).toEqual([])
    await letPass(app, 30)
    expect((await enter(path, password)).status).toBe(303)
  })

  test('look the same where there is no link', async () => {
    expect(await statuses(unknown, 6)).toEqual([404, 404, 404, 404, 404, 429])
  })

  test('never get more answers when they come at once', async () => {
    const { path } = await makeLink(app, { ...record, password })
    const answers = await Promise.all(Array.from({ length: 30 }, () => enter(path, 'wrong')))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 404: 5, 429: 25 })
  })

  test('count by the same budget in the form and in the header, and not for another link or address', async () => {
    const { path } = await makeLink(app, { ...record, password })
    const header = { ...asJson, 'x-link-password': 'wrong', 'x-forwarded-for': home }
    for (let time = 0; time < 5; time++) expect(await statusOf(app, path, header)).toBe(404)
    expect((await enter(path, password)).status).toBe(429)
    expect(await statusOf(app, path, header)).toBe(429)
    const other = await makeLink(app, { ...record, password })
    expect((await enter(other.path, password)).status).toBe(303)
    expect((await enter(path, password, away)).status).toBe(303)
  })

  test('are in the audit log, folded, with the link that they were aimed at', async () => {
    const { id, path } = await makeLink(app, { ...record, password })
    await statuses(path, 6)
    const rows = await db.query<{ result: string; count: number }>(
      "select result, count from rowhouse.audit where kind = 'link_opened' and subject_id = $1::uuid order by result",
      [id],
    )
    expect(rows.map(({ result, count }) => [result, count])).toEqual([
      ['failed', 5],
      ['throttled', 1],
    ])
  })
})
