import { describe, expect, test } from 'bun:test'
import { createToken } from '../../src/auth/accounts/tokens'
import { json, password } from '../support/app'
import { firstCell, picture, startFiles } from '../support/attachments'
import { cookieOf } from '../support/used-data'

const files = await startFiles()
const text = 'abcdefghijklmnopqrstuvwxyz'
const letters = await files.attach('letters.txt', text)

const get = (headers: Record<string, string> = {}, url = letters.url) => files.call(url, { as: 'viewer', headers })

describe('a range', () => {
  test.each([
    ['bytes=0-4', 206, 'abcde', 'bytes 0-4/26'],
    ['bytes=5-', 206, text.slice(5), 'bytes 5-25/26'],
    ['bytes=-3', 206, 'xyz', 'bytes 23-25/26'],
    ['bytes=-300', 206, text, 'bytes 0-25/26'],
    ['bytes=20-999', 206, 'uvwxyz', 'bytes 20-25/26'],
    ['BYTES=0-0', 206, 'a', 'bytes 0-0/26'],
    ['bytes=26-', 416, '', 'bytes */26'],
    ['bytes=-0', 416, '', 'bytes */26'],
    ['bytes=5-2', 416, '', 'bytes */26'],
    ['bytes=a-b', 416, '', 'bytes */26'],
    ['bytes=-', 416, '', 'bytes */26'],
    ['bytes=99999999999999999999999-', 416, '', 'bytes */26'],
    ['bytes=0-1,3-4', 200, text, null],
    [`bytes=${'0-,'.repeat(2000)}0-`, 200, text, null],
    ['lines=1-2', 200, text, null],
    ['', 200, text, null],
  ])('%s is answered with %d', async (range, status, body, contentRange) => {
    const answer = await get({ range })
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([status, body, contentRange])
    expect(answer.headers.get('accept-ranges')).toBe('bytes')
    if (status !== 416) expect(answer.headers.get('content-length')).toBe(String(body.length))
  })

  test('of nothing cannot be satisfied', async () => {
    const { url } = await files.attach('empty', '')
    for (const range of ['bytes=0-', 'bytes=-5', 'bytes=0-0']) expect((await get({ range }, url)).status).toBe(416)
  })

  test('counts only for the version that the caller has', async () => {
    const etag = (await get()).headers.get('etag')!
    const ask = async (ifRange: string) => (await get({ range: 'bytes=0-1', 'if-range': ifRange })).text()
    expect(await ask(etag)).toBe('ab')
    for (const other of ['"other"', `W/${etag}`, 'Sat, 21 Nov 2026 12:00:00 GMT']) expect(await ask(other)).toBe(text)
  })
})

describe('an answer', () => {
  test('has an ETag, and 304 for who has it', async () => {
    const first = await get()
    const etag = first.headers.get('etag')!
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await get({ 'if-none-match': known, range: 'bytes=0-1' })
      expect([answer.status, await answer.text(), answer.headers.get('etag')]).toEqual([304, '', etag])
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('to HEAD is that of GET without the body', async () => {
    for (const { url } of [letters, await files.attach('none', ''), await files.attach('big', new Uint8Array(3_000_000))]) {
      const [whole, head] = [await get({}, url), await files.call(url, { as: 'viewer', method: 'HEAD' })]
      expect([head.status, await head.text()]).toEqual([200, ''])
      const seen = ({ headers }: Response) => [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
      expect(seen(head)).toEqual(seen(whole))
    }
  })

  test('cannot act for the service in a browser', async () => {
    const { headers } = await get()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; sandbox")
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('vary')).toBe('Authorization, Cookie')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  test('may be shown by other sites only when it came with a token in the address', async () => {
    const inAddress = await files.call(`${letters.url}?token=${files.tokens.viewer}`)
    expect([inAddress.status, inAddress.headers.get('cross-origin-resource-policy')]).toEqual([200, 'cross-origin'])
    const signedIn = await files.call('/auth/login', { body: { email: 'viewer@example.org', password } })
    const withCookie = await files.call(letters.url, { headers: { cookie: cookieOf(signedIn) } })
    expect([withCookie.status, withCookie.headers.get('cross-origin-resource-policy')]).toEqual([200, 'same-origin'])
  })

  test('is shown or saved as its bytes are, whatever was asked', async () => {
    const gif = Buffer.concat([Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1'), Buffer.from('<script>alert(1)</script>')])
    const kinds: [string, BodyInit, string, string][] = [
      ['a.png', await picture(3, 3), 'inline', 'image/png'],
      ['a.txt', 'hello', 'inline', 'text/plain; charset=utf-8'],
      ['polyglot.html', gif, 'inline', 'image/gif'],
      ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'attachment', 'image/svg+xml'],
      ['a.html', '<html><script>alert(1)</script>', 'attachment', 'text/html; charset=utf-8'],
      ['a.txt', '<!DOCTYPE HTML><script>alert(1)</script>', 'attachment', 'text/html; charset=utf-8'],
      ['a.xml', '<?xml version="1.0"?><x/>', 'attachment', 'application/xml'],
      ['a.pdf', '%PDF-1.7\n', 'attachment', 'application/pdf'],
      ['a.bin', new Uint8Array([0, 1, 2]), 'attachment', 'application/octet-stream'],
      ['a.js', 'alert(1)', 'attachment', 'application/octet-stream'],
      ['a.mjs', 'alert(1)', 'attachment', 'application/octet-stream'],
      ['a.css', 'a { color: red }', 'attachment', 'application/octet-stream'],
      ['a.csv', 'a,b', 'attachment', 'text/csv; charset=utf-8'],
    ]
    for (const [name, body, disposition, type] of kinds) {
      const { url } = await files.attach(name, body)
      for (const query of ['', '?inline', '?inline=1&type=text/html']) {
        const { headers } = await get({}, url + query)
        expect([name, headers.get('content-disposition')?.split(';')[0], headers.get('content-type')]).toEqual([name, disposition, type])
      }
      expect((await get({}, `${url}?download`)).headers.get('content-disposition')).toStartWith('attachment;')
    }
  })

  test('says in the record what a script or a style sheet is, though it is not sent as one', async () => {
    expect((await files.attach('a.js', 'alert(1)')).type).toBe('text/javascript')
    expect((await files.attach('a.css', 'a { color: red }')).type).toBe('text/css')
  })

  test('is refused where a page would run it, as a script, a style sheet, a worker', async () => {
    const { url } = await files.attach('g.js', 'alert(1)')
    const shown = await files.attach('p.png', await picture(3, 3))
    const cookie = cookieOf(await files.call('/auth/login', { body: { email: 'viewer@example.org', password } }))
    const asked = async (path: string, dest: string, etag = '') =>
      (await files.call(path, { headers: { cookie, 'sec-fetch-dest': dest, 'if-none-match': etag } })).status
    for (const dest of [
      'script',
      'style',
      'worker',
      'sharedworker',
      'serviceworker',
      'audioworklet',
      'paintworklet',
      'xslt',
      'manifest',
      'json',
      'x-new',
    ]) {
      expect([dest, await asked(url, dest), await asked(`${shown.url}?size=small`, dest), await asked(url, dest, '*')]).toEqual([
        dest,
        403,
        403,
        403,
      ])
    }
    for (const dest of ['document', 'empty', 'image', 'audio', 'video', 'iframe', 'track', 'font']) {
      expect([dest, await asked(url, dest)]).toEqual([dest, 200])
    }
  })

  test('goes on when the file is removed meanwhile', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(65_536))
    const { url } = await files.attach('big', new Blob(Array.from({ length: 256 }, () => bytes)))
    const answer = await get({}, url)
    const reader = answer.body!.getReader()
    let size = (await reader.read()).value!.byteLength
    expect((await files.call(url, { as: 'editor', method: 'DELETE' })).status).toBe(204)
    expect((await get({}, url)).status).toBe(404)
    for (let next = await reader.read(); !next.done; next = await reader.read()) size += next.value.byteLength
    expect(size).toBe(256 * 65_536)
  })

  test('says that the bytes are gone, and tells the operator', async () => {
    const file = await files.attach('lost', 'x')
    await files.deps.storage.remove([file.id])
    expect((await get({}, file.url)).status).toBe(404)
    expect(files.events.some((event) => event.kind === 'file_missing' && event.fileId === file.id)).toBe(true)
  })
})

describe('names', () => {
  test.each([
    ['a.txt', 'a.txt', 'inline; filename="a.txt"'],
    ['../../etc/passwd', 'passwd', 'inline; filename="passwd"'],
    ['C:\\dir\\x.txt', 'x.txt', 'inline; filename="x.txt"'],
    ['a"b;c.txt', 'a"b;c.txt', `inline; filename="a_b_c.txt"; filename*=UTF-8''a%22b%3Bc.txt`],
    ['a\r\nSet-Cookie: x=1\0.txt', 'aSet-Cookie: x=1.txt', 'inline; filename="aSet-Cookie: x=1.txt"'],
    ['photo\u202egpj.exe', 'photogpj.exe', 'inline; filename="photogpj.exe"'],
    ['ü (1).txt', 'ü (1).txt', `inline; filename="_ (1).txt"; filename*=UTF-8''%C3%BC%20%281%29.txt`],
    ['..', 'file', 'inline; filename="file"'],
    ['a\u200db\u200c.txt', 'ab.txt', 'inline; filename="ab.txt"'],
    [
      'می\u200cخواهم.txt',
      'می\u200cخواهم.txt',
      `inline; filename="________.txt"; filename*=UTF-8''${encodeURIComponent('می\u200cخواهم')}.txt`,
    ],
    ['👩\u200d👧.txt', '👩\u200d👧.txt', `inline; filename="_____.txt"; filename*=UTF-8''${encodeURIComponent('👩\u200d👧')}.txt`],
    [
      `${'ä'.repeat(300)}.txt`,
      `${'ä'.repeat(125)}.txt`,
      `inline; filename="${'_'.repeat(125)}.txt"; filename*=UTF-8''${'%C3%A4'.repeat(125)}.txt`,
    ],
  ])('%j is kept as %j', async (sent, kept, disposition) => {
    const file = await files.attach(sent, 'x')
    expect(file.name).toBe(kept)
    const { headers } = await get({}, file.url)
    expect(headers.get('content-disposition')).toBe(disposition)
    expect(headers.get('set-cookie')).toBeNull()
    expect(files.stored()).toContain(file.id)
  })
})

describe('the address', () => {
  const swapped = (part: number, by: string) =>
    letters.url
      .split('/')
      .map((was, index) => (index === part ? by : was))
      .join('/')

  test.each([
    ['another record', 6, '2'],
    ['a record that is not there', 6, '999'],
    ['a key that is none', 6, 'x'],
    ['another column', 8, 'papers'],
    ['a column that holds no files', 8, 'name'],
    ['a column that is not there', 8, 'nothing'],
    ['another file', 9, crypto.randomUUID()],
    ['a file that is none', 9, 'x'],
    ['a way out', 9, '..%2f..%2fpostgres%2fpostgresql.conf'],
    ['a way out of the record', 6, '..%2f1'],
    ['a NUL', 9, '%00'],
    ['another table', 4, 'nothing'],
  ])('with %s leads nowhere', async (_what, part, by) => {
    const { length } = files.events.filter(({ kind }) => kind === 'request_failed')
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      expect((await files.call(swapped(part, by), { as: 'admin', method })).status).toBe(404)
    }
    expect(files.events.filter(({ kind }) => kind === 'request_failed')).toHaveLength(length)
  })

  test('of a file is not that of one that psql has copied into another table’s cell', async () => {
    const columns = [{ name: 'photos', type: 'attachment' }]
    const other = await json(files.call('/api/v1/tables', { as: 'admin', body: { name: 'others', columns } }))
    await files.deps.db.query('insert into data.others (photos) select photos from data.pets where id = 1')
    const url = `/api/v1/tables/${other.id}/records/1/attachments/photos/${letters.id}`
    expect((await files.call(url, { as: 'viewer' })).status).toBe(404)
  })

  test('takes names for ids, and stays right when table and column are renamed', async () => {
    expect(await (await get({}, `${firstCell}/photos/${letters.id}`)).text()).toBe(text)
  })

  test('works for keys of any text, and for several', async () => {
    const columns = [
      { name: 'a', type: 'text' },
      { name: 'b', type: 'text' },
      { name: 'f', type: 'attachment' },
    ]
    await files.call('/api/v1/tables', { as: 'admin', body: { name: 'keys', primaryKey: ['a', 'b'], columns } })
    for (const [a, b] of [
      ['x', 'y'],
      ['a,b', 'ü/?#%&+ '],
      ['\u0001', "'()*!~"],
    ] as const) {
      expect((await files.call('/api/v1/tables/keys/records', { as: 'editor', body: { a, b } })).status).toBe(201)
      const cell = `/api/v1/tables/keys/records/${encodeURIComponent(a)},${encodeURIComponent(b)}/attachments/f`
      const file = await files.attach('f', `${a} ${b}`, cell)
      expect(await (await get({}, file.url)).text()).toBe(`${a} ${b}`)
    }
    const { records } = await json(files.call('/api/v1/tables/keys/records?select=f', { as: 'viewer' }))
    for (const { f } of records) expect((await get({}, f[0].url)).status).toBe(200)
  })
})

describe('who may', () => {
  test.each([
    ['a stranger', undefined, 401, 401],
    ['a viewer', 'viewer', 200, 403],
    ['an editor', 'editor', 200, 201],
    ['an admin', 'admin', 200, 201],
  ] as const)('%s', async (_who, as, read, write) => {
    expect((await files.call(letters.url, { as })).status).toBe(read)
    const answer = await files.call(`${firstCell}/photos?name=x`, { as, body: 'x', headers: { 'content-type': 'text/plain' } })
    expect(answer.status).toBe(write)
    if (write !== 201) expect((await files.call(letters.url, { as, method: 'DELETE' })).status).toBe(write)
  })

  test('a token’s scope and tables hold', async () => {
    const { user } = await json(files.call('/auth/me', { as: 'editor' }))
    const mint = async (rights: object) =>
      (await createToken(files.deps.db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'x', ...rights } as never, null)).token
    const ask = async (token: string, method = 'GET', url = letters.url) =>
      (await files.call(`${url}?name=x&token=${token}`, { method })).status
    const upload = `${firstCell}/photos`
    const reader = await mint({ scope: 'read' })
    expect([await ask(reader), await ask(reader, 'DELETE'), await ask(reader, 'POST', upload)]).toEqual([200, 403, 403])
    const elsewhere = await mint({ tables: [crypto.randomUUID()] })
    expect([await ask(elsewhere), await ask(elsewhere, 'POST', upload)].every((status) => status === 403 || status === 404)).toBe(true)
  })

  test('a revoked token gets 401 even for what it has (SEC-59)', async () => {
    const { id, token } = await json(files.call('/auth/tokens', { as: 'editor', body: { name: 'short' } }))
    const etag = (await files.call(`${letters.url}?token=${token}`)).headers.get('etag')!
    expect((await files.call(`${letters.url}?token=${token}`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    await files.call(`/auth/tokens/${id}`, { as: 'editor', method: 'DELETE' })
    expect((await files.call(`${letters.url}?token=${token}`, { headers: { 'if-none-match': etag } })).status).toBe(401)
  })

  test('another site cannot upload in a user’s name', async () => {
    const cookie = cookieOf(await files.call('/auth/login', { body: { email: 'editor@example.org', password } }))
    const headers = { cookie, 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' }
    expect((await files.call(`${firstCell}/photos?name=x`, { body: 'x', headers })).status).toBe(403)
  })
})

test('CSV and JSON show names and addresses, and never a token', async () => {
  const csv = await (
    await files.call(`/api/v1/tables/pets/export.csv?select=name,papers,photos&id=eq.1&token=${files.tokens.viewer}`)
  ).text()
  expect(csv).toContain(`letters.txt (${letters.url})`)
  expect(csv.split('\n')[0]).toBe('name,papers,photos')
  expect(csv).not.toContain(files.tokens.viewer)
  const { records } = await json(
    files.call(`/api/v1/tables/pets/records?select=photos,first:photos-%3E0-%3E%3Ename&limit=1&token=${files.tokens.viewer}`),
  )
  expect(records[0].photos[0]).toEqual(letters)
  expect(records[0].first).toBe('letters.txt')
})

test('a path leads to the address of a file, in a selection, a filter and an order', async () => {
  const path = 'photos-%3E0-%3E%3Eurl'
  for (const query of ['id=eq.1', `${path}=eq.${encodeURIComponent(letters.url)}`, `${path}=not.is.null&order=${path}`]) {
    const list = `select=address:${path},typed:${path}::text,json:photos-%3E0-%3Eurl&limit=1&${query}`
    const { records } = await json(files.call(`/api/v1/tables/pets/records?${list}`, { as: 'viewer' }))
    expect(records).toEqual([{ address: letters.url, typed: letters.url, json: letters.url }])
    expect(await json(files.call(`/rest/v1/pets?${list}`, { as: 'viewer' }))).toEqual(records)
  }
})
