import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadPlugins, pluginProblems } from '../../src/plugins/load/loaded'
import { json, startApp } from '../support/app'
import { documentXml, docx } from '../support/docx'
import { newFolder } from '../support/executable'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'
import { childrenOf, until } from '../support/processes'
import { signInAs } from '../support/session'

const template = (body: string) => `import { documentTemplate, t } from 'rowhouse/plugin'\nexport default documentTemplate({ ${body} })\n`
const nasty = `#strong[x] <script>alert(1)</script> {{ 1 | plus: 1 }} {name} </w:t><w:br/> =1+1 *b* _i_ \\\\x $y$ "q" & Ωμέγα Жук`
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const book = template(`title: 'A book', public: false, params: t.Object({ id: t.Integer() }),
  allow: ({ actor }) => actor.user.role !== 'viewer' || 'Not for viewers.',
  load: async ({ records, params, files }) => ({ book: await records('books').find(params.id), logo: await files.read('books', params.id, 'cover'), lines: [{ line: { text: 'one' } }, { line: { text: 'two' } }], raw: { _type: 'rawXml', xml: '<w:br/>' } }),
  formats: { pdf: 'book.typ', html: 'page.liquid', md: 'note.liquid', txt: 'text.liquid', docx: 'book.docx' }`)
const loop = (main: string) =>
  template(
    `title: 'x', public: true, allow: () => true, load: () => ({ lines: Array.from({ length: 3 }, (_, n) => ({ n })) }), formats: { pdf: '${main}' }`,
  )

const folder = pluginsWith({
  'books/book/template.ts': book,
  'books/book/book.typ': `#set page(footer: context counter(page).display("1 / 1", both: true))
#let data = json("/data.json")
= #data.book.title
#if data.logo != none { image(data.logo, width: 1cm) }
#include "part.typ"
`,
  'books/book/part.typ': 'A part.',
  'books/book/page.liquid': `<h1 title="{{ book.title }}">{{ book.title }}</h1>{% if logo %}<img src="{{ logo }}">{% endif %}{% render 'foot.liquid' %}`,
  'books/book/foot.liquid': '<hr>',
  'books/book/note.liquid': '# {{ book.title }}',
  'books/book/text.liquid': '{{ book.title }}',
  'open/hello/template.ts': template(
    `title: 'Hello', public: true, params: t.Object({ name: t.String({ maxLength: 20, default: 'you' }) }), allow: () => true, load: ({ params }) => params, formats: { txt: 'hello.liquid' }`,
  ),
  'open/hello/hello.liquid': 'Hello {{ name }}',
  'open/many/template.ts': template(
    `title: 'Many', public: true, params: t.Object({ keys: t.Array(t.String()) }), allow: () => true, load: ({ params }) => params, formats: { txt: 'a.liquid' }`,
  ),
  'open/many/a.liquid': '{{ keys | join: "," }}',
  'open/secret/template.ts': template(
    `title: 'Secret', public: true, params: t.Object({ id: t.Integer() }), for: { table: 'books', key: 'id' }, allow: () => true, load: () => ({}), formats: { txt: 'a.liquid' }`,
  ),
  'open/secret/a.liquid': 'x',
  'open/any/template.ts': template(
    `title: 'Any', public: true, params: t.Object({ id: t.Integer(), of: t.String() }), for: { tableParam: 'of', key: 'id' }, allow: () => true, load: () => ({}), formats: { txt: 'a.liquid' }`,
  ),
  'open/any/a.liquid': 'x',
  'open/plugin.ts': endpoints(
    `{ method: 'GET', path: '/:name/:template', public: true, query: t.Object({ id: t.Optional(t.Integer()) }),
       allow: async ({ auth }) => (await auth.optional(), true),
       handle: async ({ documents, params, query }) => new TextDecoder().decode(await documents.render({ plugin: params.name, template: params.template, format: 'txt', params: query })) }`,
    `{ method: 'POST', path: '/hook', public: true, credentials: 'own', allow: () => true,
       handle: async ({ documents }) => new TextDecoder().decode(await documents.render({ template: 'asks' })) }`,
  ),
  'open/asks/template.ts': template(
    `title: 'Asks', public: true, allow: async ({ auth }) => (await auth.optional(), true), load: ({ actor, headers }) => ({ who: actor?.user.email ?? 'nobody', seen: headers.get('authorization') }), formats: { txt: 'a.liquid' }`,
  ),
  'open/asks/a.liquid': '{{ who }}{{ seen }}',
  'open/mirror/template.ts': template(
    `title: 'Mirror', public: true, allow: () => true, load: async ({ documents }) => ({ own: (await documents.render({ template: 'mirror' })).length }), formats: { txt: 'a.liquid' }`,
  ),
  'open/mirror/a.liquid': '{{ own }}',
  'open/given/template.ts': template(
    `title: 'Given', public: true, params: t.Object({ text: t.String() }), allow: () => true, load: ({ params }) => params, formats: { docx: 'a.docx', txt: 'a.liquid' }`,
  ),
  'open/given/a.liquid': '{{ text }}',
  'open/shown/template.ts': template(
    `title: 'Shown', public: true, params: t.Object({ picture: t.String() }), allow: () => true, load: ({ params }) => ({ picture: Buffer.from(params.picture, 'base64') }), formats: { docx: 'shown.docx', pdf: 'shown.typ' }`,
  ),
  'open/shown/shown.typ': '#let data = json("/data.json")\n#image(data.picture)',
  'bad/no-file/template.ts': loop('no-file.typ'),
  'bad/no-file/no-file.typ': '#image("logo.png")',
  'bad/huge/template.ts': template(
    `title: 'x', public: true, allow: () => true, load: () => ({ part: 'x'.repeat(1e6) }), formats: { txt: 'a.liquid' }`,
  ),
  'bad/huge/a.liquid': '{% for a in (1..80) %}{{ part }}{% endfor %}',
  'open/reaches/template.ts': template(
    `title: 'Reaches', public: true, allow: () => true, load: async ({ records }) => records('books').list(), formats: { txt: 'a.liquid' }`,
  ),
  'open/reaches/a.liquid': '{{ records.size }}',
  'bad/loops/template.ts': loop('loops.typ'),
  'bad/loops/loops.typ': '#for a in range(100000) { for b in range(100000) { str(a + b) } }\n',
  'bad/eats/template.ts': loop('eats.typ'),
  'bad/eats/eats.typ': '#let a = (0,) * 1000\n#for i in range(60) { a = a + a }\n#a.len()',
  'bad/mistakes/template.ts': loop('mistakes.typ'),
  'bad/mistakes/mistakes.typ': '= Title\n\n#nothing(1)\n',
  'bad/leaves/template.ts': loop('leaves.typ'),
  'bad/leaves/leaves.typ': '#read("../../settings.toml")\n',
  'bad/liquid-loops/template.ts': template(
    `title: 'x', public: true, allow: () => true, load: () => ({}), formats: { txt: 'a.liquid', html: 'b.liquid' }`,
  ),
  'bad/liquid-loops/a.liquid': '{% for a in (1..100000000) %}{% for b in (1..100000000) %}x{% endfor %}{% endfor %}',
  'bad/liquid-loops/b.liquid': 'a\n{% if %}\n{% render "../loops/loops.typ" %}',
  'bad/closed/template.ts': loop('mistakes.typ').replace('public: true', 'public: false'),
  'bad/closed/mistakes.typ': '= Title\n\n#nothing(1)\n',
  'bad/throws/template.ts': template(
    `title: 'x', public: true, allow: () => true, load: () => { throw new Error('no') }, formats: { txt: 'a.liquid' }`,
  ),
  'bad/throws/a.liquid': '',
})
writeFileSync(
  join(folder, 'books/book/book.docx'),
  docx('Title: {book.title}', '{#lines}again {line.text};{/lines}', 'raw {raw}', '{logo}'),
)

writeFileSync(join(folder, 'open/given/a.docx'), docx('{text}'))
writeFileSync(join(folder, 'open/shown/shown.docx'), docx('{picture}'))

const app = await startApp({ ROWHOUSE_DATA_DIR: join(newFolder(), 'data') }, { plugins: folder })
const columns = [
  { name: 'title', type: 'text' },
  { name: 'cover', type: 'attachment' },
]
const { id: books } = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns } }))
await app.call('/api/v1/tables/books/records', { as: 'editor', body: { title: nasty } })
/** The processes of this one that make documents. */
const renderers = () => childrenOf(process.pid, '__render')
const upload = await fetch(`${app.url}/api/v1/tables/books/records/1/attachments/cover?name=logo.png`, {
  method: 'POST',
  body: Buffer.from(pixel, 'base64'),
  headers: { authorization: `Bearer ${app.tokens.editor}`, 'content-type': 'image/png' },
})
const get = (path: string, as?: 'admin' | 'editor' | 'viewer') => app.call(`/api/v1/documents/${path}`, { as })

test('the templates are whole, and the picture is there', async () => {
  expect(
    (await json(app.call('/api/v1/plugins', { as: 'admin' }))).plugins.flatMap(({ problems }: { problems: object[] }) => problems),
  ).toEqual([])
  expect(upload.status).toBe(201)
})

describe('who may', () => {
  test('the list shows what the caller may use', async () => {
    const names = async (as?: 'viewer') =>
      (await json(app.call('/api/v1/documents', { as }))).documents.map((each: { template: string }) => each.template)
    expect(await names()).not.toContain('book')
    expect(await names('viewer')).toContain('book')
    expect((await json(app.call('/api/v1/documents'))).documents).toContainEqual({
      plugin: 'open',
      template: 'hello',
      title: 'Hello',
      public: true,
      formats: ['txt'],
      params: expect.objectContaining({ type: 'object' }),
      for: null,
    })
    await expectProblem(await app.call('/api/v1/documents', { headers: { authorization: 'Bearer x' } }), 401, 'invalid_token')
  })

  test('the list names no table to callers who may not read it', async () => {
    const about = async (template: string, init: { as?: 'viewer'; headers?: Record<string, string> } = {}) =>
      (await json(app.call('/api/v1/documents', init))).documents.find((each: { template: string }) => each.template === template).for
    expect(await about('secret')).toBeNull()
    expect(await about('secret', { as: 'viewer' })).toEqual({ table: books, key: 'id' })
    expect(await about('any')).toEqual({ tableParam: 'of', key: 'id' })
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'others', columns: [{ name: 'a', type: 'text' }] } })
    const limited = await json(
      app.call('/api/v1/auth/tokens', { as: 'admin', body: { name: 'others', scope: 'read', tables: ['others'] } }),
    )
    expect(await about('secret', { headers: { authorization: `Bearer ${limited.token}` } })).toBeNull()
    const saveRules = (rules: object[]) => app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })
    expect((await saveRules([{ group: 'everyone', table: 'books' }])).status).toBe(200)
    expect(await about('secret', { as: 'viewer' })).toBeNull()
    expect((await saveRules([])).status).toBe(200)
  })

  test('each decides on every call', async () => {
    const bad = await get('books/book?id=x')
    expect(bad.headers.get('www-authenticate')).toBe('Bearer realm="service"')
    await expectProblem(bad, 401, 'unauthenticated')
    const { message } = await expectProblem(await get('books/book?id=1', 'viewer'), 403, 'forbidden')
    expect(message).toBe('Not for viewers.')
    expect(await (await get('open/hello')).text()).toBe('Hello you')
    expect(await (await app.call('/api/v1/documents/open/hello?token=x&name=Ada', { headers: { authorization: 'Bearer x' } })).text()).toBe(
      'Hello Ada',
    )
    await expectProblem(await get('open/reaches', 'admin'), 401, 'unauthenticated')
  })

  test('takes its parameters as a form, too, which may be longer than a URL', async () => {
    const send = (body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(`${app.url}/api/v1/documents/open/many?format=txt`, { method: 'POST', headers: { 'content-type': type }, body })
    const keys = Array.from({ length: 200 }, () => crypto.randomUUID())
    expect(await (await send(keys.map((key) => `keys=${key}`).join('&'))).text()).toBe(keys.join())
    expect(await (await send('keys=1%0A2&keys=3&token=x&format=txt', 'Application/X-WWW-Form-Urlencoded; charset=utf-8')).text()).toBe(
      '1\n2,3',
    )
    await expectProblem(await send('keys=1&format=pdf'), 404, 'not_found')
    await expectProblem(await send('saveTo=1&keys=1', 'text/plain'), 415, 'unsupported_media_type')
  })

  test('another site’s POST with the cookie is refused', async () => {
    const headers = { cookie: await signInAs(app, 'editor'), 'sec-fetch-site': 'cross-site' }
    await expectProblem(await app.call('/api/v1/documents/books/book', { body: { params: { id: 1 } }, headers }), 403, 'csrf_rejected')
  })
})

describe('a record’s values appear as they are in', () => {
  test('PDF: tagged, numbered, the same bytes each time', async () => {
    const response = await get('books/book?id=1', 'editor')
    expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({ status: 200, type: 'application/pdf' })
    expect(response.headers.get('content-disposition')).toBe('inline; filename="book.pdf"')
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
    for (const part of ['/StructTreeRoot', '/Marked true', '/Subtype/Image'])
      expect(bytes.toString('latin1').replaceAll(' /', '/')).toContain(part)
    expect(bytes.toString('latin1')).not.toContain('/CreationDate')
    expect(Buffer.from(await (await get('books/book?id=1&format=pdf', 'editor')).arrayBuffer()).equals(bytes)).toBe(true)
  })

  test('HTML, as a page that runs nothing', async () => {
    const response = await get('books/book?id=1&format=html', 'editor')
    expect(response.headers.get('content-security-policy')).toContain('sandbox;')
    const text = await response.text()
    const shown = Bun.escapeHTML(nasty).replaceAll('&#x27;', '&#39;')
    expect(text).toBe(`<h1 title="${shown}">${shown}</h1><img src="data:image/png;base64,${pixel}"><hr>`)
  })

  test('Markdown and text', async () => {
    expect(await (await get('books/book?id=1&format=txt', 'editor')).text()).toBe(nasty)
    const markdown = await (await get('books/book?id=1&format=md', 'editor')).text()
    expect(markdown).toStartWith('# \\#strong\\[x\\] \\<script\\>')
    expect(markdown.slice(2).replace(/\\([\\`*_{}[\]()#+\-.!|<>&~=:$^])/g, '$1')).toBe(nasty)
  })

  test('Word', async () => {
    const response = await get('books/book?id=1&format=docx', 'editor')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="book.docx"')
    const xml = documentXml(new Uint8Array(await response.arrayBuffer()))
    const shown = nasty.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
    const plain = xml.replace(/<[^>]*>/g, '')
    expect(plain).toContain(`Title: ${shown}`)
    expect(plain).toContain('again one;again two;')
    expect(xml).not.toContain('<w:br/>')
    expect(xml).toContain('<pic:pic')
  })
})

test('unknown plugins, templates and formats are 404, and bad parameters 422', async () => {
  for (const path of ['nobody/book', 'books/nothing', 'books/book?format=exe&id=1', 'books/book?format=constructor&id=1'])
    await expectProblem(await get(path, 'editor'), 404, 'not_found')
  await expectProblem(await get('books/book?id=x', 'editor'), 422, 'validation_failed')
  await expectProblem(await get('books/book', 'editor'), 422, 'validation_failed')
  const post = (body: object | string) => app.call('/api/v1/documents/open/hello', { body })
  expect(await (await post({ format: 'txt', params: { name: 'Bob' } })).text()).toBe('Hello Bob')
  await expectProblem(await post({ params: { name: 7 } }), 422, 'validation_failed')
  await expectProblem(await post({ nothing: 1 }), 422, 'validation_failed')
  await expectProblem(await post('{'), 400, 'malformed_json')
})

test('a plugin makes documents for its caller, and the template decides', async () => {
  const make = (path: string, as?: 'editor' | 'viewer') => app.call(`/api/v1/custom/open/${path}`, { as })
  expect(await json(make('books/book?id=1', 'editor'))).toBe(nasty)
  expect(await json(make('open/hello'))).toBe('Hello you')
  await expectProblem(await make('books/book?id=1'), 401, 'unauthenticated')
  await expectProblem(await make('books/book?id=1', 'viewer'), 403, 'forbidden')
  await expectProblem(await make('books/book', 'editor'), 422, 'validation_failed')
  await expectProblem(await make('books/nothing', 'editor'), 404, 'not_found')
})

describe('a document within a call', () => {
  test('that makes itself is ended before it has used up everything', async () => {
    await expectProblem(await get('open/mirror'), 500, 'internal')
    expect(app.events).toContainEqual(
      expect.objectContaining({ kind: 'plugin_failed', error: expect.objectContaining({ message: expect.stringContaining('8 times') }) }),
    )
  })

  test('takes nobody’s credentials for ours where they are somebody else’s', async () => {
    const hook = (headers: Record<string, string>) => json(app.call('/api/v1/custom/open/hook', { method: 'POST', headers }))
    expect(await hook({ authorization: 'Bearer theirs' })).toBe('nobody')
    expect(await hook({ authorization: `Bearer ${app.tokens.admin}` })).toBe('nobody')
    expect(await (await get('open/asks', 'admin')).text()).toBe('admin@example.org')
  })
})

test('a picture in WebP stands in a Word file, and one that cannot be read is a mistake with its place', async () => {
  const webp = await new Bun.Image(Buffer.from(pixel, 'base64')).webp().bytes()
  const make = (bytes: Uint8Array, format: string) =>
    app.call('/api/v1/documents/open/shown', { as: 'admin', body: { format, params: { picture: Buffer.from(bytes).toString('base64') } } })
  const word = await make(webp, 'docx')
  expect(word.status).toBe(200)
  expect(documentXml(new Uint8Array(await word.arrayBuffer()))).toContain('<pic:pic')
  expect((await make(webp, 'pdf')).status).toBe(200)
  for (const format of ['docx', 'pdf'])
    expect((await expectProblem(await make(webp.slice(0, 20), format), 500, 'internal')).details).toEqual({
      problems: [expect.stringMatching(/^shown\.(docx|typ:2:2): .*decode/)],
    })
  expect(await json(app.call('/api/v1/documents/bad/no-file', { as: 'admin' }))).toMatchObject({
    details: { problems: ["no-file.typ:1:8: error: failed to load file (it is not in the template's folder)"] },
  })
})

test('control characters make no file that Word refuses', async () => {
  const body = { params: { text: 'a\u0001b\u001b\ufffe\tc' } }
  const response = await app.call('/api/v1/documents/open/given', { body })
  const plain = documentXml(new Uint8Array(await response.arrayBuffer())).replace(/<[^>]*>/g, '')
  expect(plain).toContain('a\ufffdb\ufffd\ufffd')
})

test('the process that makes documents may be killed', async () => {
  const make = async () => (await get('open/given?format=txt&text=x')).text()
  expect(await make()).toBe('x')
  for (const pid of renderers()) process.kill(pid, 'SIGKILL')
  // Either it is known already that it is gone, or the document that finds out is refused.
  await get('open/given?format=txt&text=x')
  expect(await make()).toBe('x')
})

test('many documents at once are made one after the other, each with its own data', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => `document ${index}`)
  const made = texts.map(async (text) => (await get(`open/given?format=txt&text=${text}`)).text())
  expect(await Promise.all(made)).toEqual(texts)
})

describe('a template that', () => {
  test.each(['loops', 'eats', 'liquid-loops', 'huge'])('%s is ended, and the next document is made', async (name) => {
    const limits = { ROWHOUSE_RENDER_TIMEOUT: '3s', ROWHOUSE_RENDER_MEMORY: '700MB' }
    const hasty = await startApp({ ROWHOUSE_DATA_DIR: app.deps.config.dataDir, ...limits }, { plugins: folder, beside: app })
    const make = (path: string, as?: 'editor') => hasty.call(`/api/v1/documents/${path}`, { as })
    const response = await make(`bad/${name}`)
    expect(response.headers.get('retry-after')).toBe('5')
    await expectProblem(response, 503, 'render_failed')
    await until('the next document is in time', async () => (await make('books/book?id=1', 'editor')).status === 200)
  })

  test.each([
    ['mistakes', 'mistakes.typ:3:2'],
    ['leaves', 'leaves.typ:1:7'],
    ['liquid-loops?format=html', 'line:2'],
  ])('%s is a plain 500, and the log has its place', async (name, place) => {
    const own = `bad/${name}`
    const plain = await expectProblem(await get(own), 500, 'internal')
    expect(plain.details).toBe(undefined)
    await expectProblem(await get('bad/throws'), 500, 'internal')
    expect(app.events.filter(({ kind }) => kind === 'plugin_failed')).toContainEqual(
      expect.objectContaining({ plugin: 'bad', error: expect.objectContaining({ message: expect.stringContaining(place) }) }),
    )
  })
})

test('a mistake in a template is shown to an administrator', async () => {
  const { details } = await expectProblem(await get('bad/closed', 'admin'), 500, 'internal')
  expect(details).toEqual({ problems: ['mistakes.typ:3:2: error: unknown variable: nothing'] })
  expect((await expectProblem(await get('bad/closed', 'editor'), 500, 'internal')).details).toBe(undefined)
  const open = async (as?: 'admin' | 'editor', headers = {}) =>
    (await expectProblem(await app.call('/api/v1/documents/bad/mistakes', { as, headers }), 500, 'internal')).details
  expect(await open('admin')).toEqual(details)
  expect([await open(), await open('editor'), await open(undefined, { authorization: 'Bearer x' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  ['a link', 'is a link', (home: string) => symlinkSync('/etc/passwd', join(home, 'x.typ'))],
  [
    'a file in the place of the data',
    'where Typst finds the data',
    (home: string) => {
      writeFileSync(join(home, 'missing.typ'), '')
      writeFileSync(join(home, 'data.json'), '{}')
    },
  ],
  ['a file that is not there', 'not in its folder', () => {}],
])('a template with %s is left out', async (_what, message, change) => {
  const plugins = pluginsWith({ 'a/doc/template.ts': loop('missing.typ') })
  mkdirSync(join(plugins, 'a/doc'), { recursive: true })
  change(join(plugins, 'a/doc'))
  expect(pluginProblems(await loadPlugins(plugins, {}))).toEqual([
    expect.objectContaining({ message: expect.stringContaining(message), file: 'a/doc/template.ts' }),
  ])
})

test('Word templates are read by an XML parser whose known holes are mended', async () => {
  const { version } = (await Bun.file(join(import.meta.dir, '../../node_modules/@xmldom/xmldom/package.json')).json()) as {
    version: string
  }
  expect(Bun.semver.satisfies(version, '>=0.8.15 <0.9.0 || >=0.9.11')).toBe(true)
})
