import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { json, startApp } from '../support/app'
import { newFolder } from '../support/executable'
import { pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'

const template = (body: string) => `import { documentTemplate, t } from 'rowhouse/plugin'\nexport default documentTemplate({ ${body} })\n`

const folder = pluginsWith({
  'books/book/template.ts': template(`title: 'A book', public: false, params: t.Object({ id: t.Integer() }), allow: () => true,
    load: async ({ records, params }) => ({ book: await records('books').find(params.id) }), formats: { pdf: 'book.typ', txt: 'text.liquid' }`),
  'books/book/book.typ': '#json("/data.json").book.title',
  'books/book/text.liquid': '{{ book.title }}',
  'open/hello/template.ts': template(`title: 'Hello', public: true, allow: () => true, load: () => ({}), formats: { txt: 'hello.liquid' }`),
  'open/hello/hello.liquid': 'Hello',
  'open/counted/template.ts': template(
    `title: 'Counted', public: false, allow: () => true, load: ({ log }) => { log.info('made'); return {} }, formats: { txt: 'a.liquid' }`,
  ),
  'open/counted/a.liquid': 'x',
})
const app = await startApp({ ROWHOUSE_DATA_DIR: join(newFolder(), 'data') }, { plugins: folder })
const table = async (name: string, columns: object[]): Promise<string> =>
  (await json(app.call('/api/v1/tables', { as: 'admin', body: { name, columns } }))).id
await table('books', [
  { name: 'title', type: 'text' },
  { name: 'papers', type: 'attachment' },
])
const films = await table('films', [{ name: 'title', type: 'text' }])
await app.call('/api/v1/tables/books/records', { as: 'editor', body: { title: 'Emma' } })

test('a document of a public template is kept as whoever is calling, also where its allow did not ask who that is', async () => {
  const { id } = await json(app.call('/api/v1/tables/books/records', { as: 'editor', body: { title: 'Public' } }))
  const body = { saveTo: { table: 'books', pk: id, column: 'papers' } }
  const save = (as: 'editor' | 'viewer' | undefined) => app.call('/api/v1/documents/open/hello', { as, body })
  await expectProblem(await save(undefined), 401, 'unauthenticated')
  await expectProblem(await save('viewer'), 403, 'forbidden')
  const saved = await save('editor')
  expect({ status: saved.status, body: await json(saved) }).toMatchObject({ status: 201, body: { file: { name: 'hello.txt' } } })
})

test('a document is kept in a record, as the caller', async () => {
  const body = { format: 'pdf', params: { id: 1 }, saveTo: { table: 'books', pk: 1, column: 'papers' } }
  const response = await app.call('/api/v1/documents/books/book', { as: 'editor', body })
  expect(response.status).toBe(201)
  const { file, templateHash, recordVersion } = await json(response)
  expect(file).toMatchObject({ name: 'book.pdf', type: 'application/pdf' })
  expect(templateHash).toMatch(/^[0-9a-f]{64}$/)
  const { papers } = await json(app.call('/api/v1/tables/books/records/1', { as: 'viewer' }))
  expect(papers).toMatchObject([{ id: file.id }])
  const [origin] = await app.deps.db.query(
    'select *, created_at is not null as is_dated from rowhouse.documents where file_id = $1::uuid',
    [file.id],
  )
  expect(origin).toMatchObject({
    plugin: 'books',
    template: 'book',
    format: 'pdf',
    template_hash: templateHash,
    record_version: recordVersion,
    is_dated: true,
  })
  const search = await app.call('/api/v1/documents/books/book?id=1&format=txt', { as: 'editor', body: { saveTo: body.saveTo } })
  expect({ status: search.status, file: (await json(search)).file }).toMatchObject({ status: 201, file: { name: 'book.txt' } })
  const saved = (as: 'editor', saveTo: object, headers = {}) =>
    app.call('/api/v1/documents/books/book?id=1&format=txt', { as, headers, body: { saveTo: { ...body.saveTo, ...saveTo } } })
  const nameOf = async (name: string) => (await json(saved('editor', { name }))).file.name
  expect(await nameOf('books Emma')).toBe('books Emma.txt')
  expect(await nameOf('../../etc/\u202egnp')).toBe('gnp.txt')
  for (const name of ['', 'x'.repeat(201)]) await expectProblem(await saved('editor', { name }), 422, 'validation_failed')
  for (const column of ['title', 'nothing', '__proto__']) await expectProblem(await saved('editor', { column }), 404, 'not_found')
  await expectProblem(await saved('editor', { table: 'rowhouse.users' }), 404, 'not_found')
  await expectProblem(await saved('editor', { pk: '\ud800' }), 404, 'not_found')
  const { token: narrow } = await json(app.call('/auth/tokens', { as: 'editor', body: { name: 'n', scope: 'write', tables: [films] } }))
  await expectProblem(await saved('editor', {}, { authorization: `Bearer ${narrow}` }), 403, 'insufficient_scope')
  const { token: reading } = await json(app.call('/auth/tokens', { as: 'editor', body: { name: 'r', scope: 'read' } }))
  await expectProblem(await saved('editor', {}, { authorization: `Bearer ${reading}` }), 403, 'insufficient_scope')
  const missing = { ...body, saveTo: { ...body.saveTo, pk: 99 } }
  await expectProblem(await app.call('/api/v1/documents/books/book', { as: 'editor', body: missing }), 404, 'not_found')
})

test('a document is kept in a record with a composite key, whose parts are written as in a path', async () => {
  const columns = [...['a', 'b'].map((name) => ({ name, type: 'text', required: true })), { name: 'papers', type: 'attachment' }]
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'pairs', primaryKey: ['a', 'b'], columns } })
  const records = [
    { a: 'x', b: 'y' },
    { a: 'x,1', b: '50%' },
  ]
  expect((await app.call('/api/v1/tables/pairs/records', { as: 'editor', body: records })).status).toBe(201)
  const save = (pk: string | number) =>
    app.call('/api/v1/documents/open/hello', { as: 'editor', body: { saveTo: { table: 'pairs', pk, column: 'papers' } } })
  for (const pk of ['x,y', 'x%2C1,50%25']) {
    expect((await save(pk)).status).toBe(201)
    const { papers } = await json(app.call(`/api/v1/tables/pairs/records/${pk}`, { as: 'viewer' }))
    expect(papers).toMatchObject([{ name: 'hello.txt' }])
  }
  for (const pk of ['x', 'x,y,z', 'y,x', 'x,%', 1]) await expectProblem(await save(pk), 404, 'not_found')
})

test('a document for a record that the caller may not write is not made', async () => {
  const save = (as: 'editor' | 'viewer', pk: number) =>
    app.call('/api/v1/documents/open/counted', { as, body: { saveTo: { table: 'books', pk, column: 'papers' } } })
  const made = () => app.events.filter((event) => event.kind === 'plugin_log' && event.message === 'made').length
  await expectProblem(await save('viewer', 1), 403, 'forbidden')
  await expectProblem(await save('editor', 99), 404, 'not_found')
  expect(made()).toBe(0)
  expect((await save('editor', 1)).status).toBe(201)
  expect(made()).toBe(1)
})
