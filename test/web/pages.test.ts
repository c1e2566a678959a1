import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp({}, { users: false })

const policy = (response: Response) => response.headers.get('content-security-policy')?.split('; ').sort()

/** What a page loads, as its addresses. */
const loadedBy = (html: string) => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)

const plain = { 'accept-encoding': 'identity' }
const textOf = async (path: string) => (await app.call(path, { headers: plain })).text()

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const deep = ['/tables/0190', '/tables/0190/import', '/settings', '/settings/account', '/documents', '/documents/a/b']

describe.each(['/', '/setup', '/invite', '/sign-in', ...deep])('GET %s', (path) => {
  test('is a page for everybody, whatever credentials come with it', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { cookie: 'service_session=wrong' }] as Record<string, string>[]) {
      const response = await app.call(path, { headers: { ...browser, ...headers } })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html;charset=utf-8')
    }
  })

  test('lets nothing in from elsewhere, no script inline, styles by nonce, and no markup made from text (SEC-65)', async () => {
    const response = await app.call(path, { headers: browser })
    const html = await response.text()
    const nonce = /<script nonce="([\w+/]{24})"/.exec(html)?.[1]
    expect(policy(response)).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "frame-src 'self'",
      "img-src 'self' data: blob:",
      "media-src 'self'",
      "object-src 'none'",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      'trusted-types default',
    ])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/)
  })

  test('has another nonce every time, so it is kept by nobody', async () => {
    const [one, two] = await Promise.all([app.call(path, { headers: browser }), app.call(path, { headers: browser })])
    expect(one.headers.get('content-security-policy')).not.toBe(two.headers.get('content-security-policy'))
    expect(one.headers.get('cache-control')).toBe('no-cache')
    expect(one.headers.get('etag')).toBeNull()
    expect((await app.call(path, { headers: { ...browser, 'if-none-match': '*' } })).status).toBe(200)
  })

  test('HEAD answers the same without a body', async () => {
    const headers = { ...plain, ...browser }
    const [get, head] = await Promise.all([app.call(path, { headers }), app.call(path, { method: 'HEAD', headers })])
    expect(await head.text()).toBe('')
    for (const name of ['content-type', 'cache-control', 'vary', 'content-length']) {
      expect({ name, value: head.headers.get(name) }).toEqual({ name, value: get.headers.get(name) })
    }
  })

  test('takes no other method', async () => {
    const response = await app.call(path, { method: 'POST', body: {} })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })
})

describe('what is asked for beside the scripts', () => {
  const cookie = `service_session=${'a'.repeat(43)}`
  const hintsOf = async (path: string, headers: Record<string, string> = { cookie }) => {
    const response = await app.call(path, { headers: { ...plain, ...browser, ...headers } })
    expect(response.headers.get('vary')).toBe('Accept, Cookie')
    return [...(await response.text()).matchAll(/<link rel="preload" as="fetch" crossorigin href="([^"]+)">/g)].map(([, href]) => href)
  }
  const always = ['/api/v1/auth/me', '/api/v1/tables']
  const table = ['/api/v1/tables/0190-ab', '/api/v1/tables/0190-ab/view']

  test.each([
    ['/', always],
    ['/settings/account', always],
    ['/tables/import', always],
    ['/tables/0190-ab/import', always],
    ['/tables/0190-ab', [...always, ...table, '/api/v1/tables/0190-ab/records?limit=100&count=estimated']],
    ['/tables/0190-ab?order=id', [...always, ...table]],
    ['/tables/%22%3E%3Cscript%3E', always],
  ])('at %s', async (path, hints) => {
    expect(await hintsOf(path)).toEqual(hints)
  })

  test('is nothing for strangers, who would be refused', async () => {
    for (const headers of [{}, { cookie: 'other=1' }, { cookie: 'service_session=short' }] as Record<string, string>[])
      expect(await hintsOf('/tables/0190-ab', headers)).toEqual([])
  })
})

/** Names of formats, what the libraries' messages refer to, and Eden's word for "no address". */
const neverAsked = ['http://www.w3.org', 'https://react.dev', 'https://mantine.dev', 'http://e.ly', 'http://localhost']

describe('what the pages load', async () => {
  const paths = loadedBy(await textOf('/'))

  test('is scripts, a style sheet and an icon', () => {
    expect([...new Set(paths.map((path) => path.split('.').at(-1)))].sort()).toEqual(['css', 'js', 'svg'])
  })

  test.each(paths)('%s is kept for a year, under a name that changes with its content', async (path) => {
    const response = await app.call(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    const etag = response.headers.get('etag') ?? ''
    expect((await app.call(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  test.each([
    ['js', 'text/javascript;charset=utf-8'],
    ['css', 'text/css;charset=utf-8'],
    ['svg', 'image/svg+xml'],
  ])('.%s is sent as %s', async (extension, type) => {
    const path = paths.find((each) => each.endsWith(`.${extension}`)) ?? ''
    expect((await app.call(path)).headers.get('content-type')).toBe(type)
  })

  test('names no other host', async () => {
    for (const path of ['/', ...paths]) {
      const addresses = [...(await textOf(path)).matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address)
      expect({ path, addresses: addresses.filter((address) => !neverAsked.includes(address)) }).toEqual({ path, addresses: [] })
    }
  })

  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['br;q=0.5', 'br'],
    ['deflate', null],
    ['identity', null],
  ])('comes for Accept-Encoding: %s as %p, and is the same', async (accepted, coding) => {
    const response = await app.call(paths[0]!, { headers: { 'accept-encoding': accepted } })
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(await response.text()).toBe(await textOf(paths[0]!))
  })
})

describe.each(deep)('%s', (path) => {
  test('is not found for programs: who forgets /api/v1 gets no page for an answer', async () => {
    for (const accept of ['application/json', '*/*']) {
      const response = await app.call(path, { headers: { accept } })
      expect(await json(response)).toMatchObject({ status: 404, code: 'not_found' })
    }
  })
})

describe('other addresses', () => {
  test.each([
    '/assets/nothing.js',
    '/assets/index.html',
    '/assets/..%2Findex.html',
    '/assets/__proto__',
    '/api/v1/nothing',
    '/auth/nothing',
  ])('%s is not found, in the envelope, for browsers too', async (path) => {
    const response = await app.call(path, { headers: { accept: 'text/html' } })
    expect(response.headers.get('content-type')).toStartWith('application/')
    expect(response.status).toBe(404)
  })

  test.each(['/index.html', '/some/page', '/tables', '/nope?token=x'])('%s is a page that says so, for a person', async (path) => {
    const response = await app.call(path, { headers: browser })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html;charset=utf-8'])
    expect(policy(response)).toContain("default-src 'none'")
    expect(await response.text()).not.toContain('token=x')
    for (const [method, accept] of [
      ['GET', '*/*'],
      ['POST', browser.accept],
    ] as const)
      expect(await json(app.call(path, { method, headers: { accept } }))).toMatchObject({ status: 404, code: 'not_found' })
  })
})
