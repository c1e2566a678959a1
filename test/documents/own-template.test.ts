import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { scaffoldPlugin } from '../../src/plugins/sdk/scaffold'
import { json, startApp } from '../support/app'
import { newFolder } from '../support/executable'
import { makeMembers } from '../support/members'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'

type Listed = { plugin: string; template: string }

const app = await startApp({ ROWHOUSE_DATA_DIR: join(newFolder(), 'data') })
const columns = [
  { name: 'title', type: 'text' },
  { name: 'scans', type: 'attachment' },
]
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'my books', columns } })
await app.call('/api/v1/tables/my%20books/records', { as: 'editor', body: { title: '<b>Emma</b> #strong[x] {{ 1 }}' } })

const own = '/api/v1/documents/_rowhouse/record'
const page = `${own}?table=my+books&record=1&format=html`
const listed = async (to: Pick<typeof app, 'call'>, as?: 'viewer') =>
  (await json(to.call('/api/v1/documents', { as }))).documents.map(({ plugin, template }: Listed) => `${plugin}/${template}`)

describe('a service without plugins', () => {
  test('has a template for a record of any table, for signed-in users', async () => {
    expect(await listed(app)).toEqual([])
    expect((await json(app.call('/api/v1/documents', { as: 'viewer' }))).documents).toEqual([
      {
        plugin: '_rowhouse',
        template: 'record',
        title: 'Record',
        public: false,
        formats: ['pdf', 'html'],
        params: expect.objectContaining({ required: ['table', 'record'] }),
        for: { tableParam: 'table', key: 'record' },
      },
    ])
    expect(await json(app.call('/api/v1/plugins', { as: 'admin' }))).toEqual({ plugins: [] })
  })

  test('has it in German for readers of German, its help included', async () => {
    const read = async (language: string) =>
      (await json(app.call('/api/v1/documents', { as: 'viewer', headers: { 'accept-language': language } }))).documents[0]
    expect(await read('de-CH, en;q=0.5')).toMatchObject({
      title: 'Datensatz',
      params: { properties: { table: { title: 'Tabelle' }, record: { title: 'Datensätze', description: 'Ihre IDs.' } } },
    })
    expect(await read('fr')).toMatchObject({ title: 'Record', params: { properties: { record: { description: 'Their ids.' } } } })
  })

  test('makes the document for callers who may read the record', async () => {
    const made = await app.call(page, { as: 'viewer' })
    expect(made.headers.get('content-type')).toBe('text/html;charset=utf-8')
    expect(await made.text()).toContain('<td>&lt;b&gt;Emma&lt;/b&gt; #strong[x] {{ 1 }}</td>')
    const { id } = await json(app.call('/api/v1/tables/my%20books', { as: 'viewer' }))
    const byId = await app.call(page.replace('my+books', id), { as: 'viewer' })
    expect(await byId.text()).toContain('<h1>&lt;b&gt;Emma&lt;/b&gt; #strong[x] {{ 1 }}</h1>\n<p>my books</p>')
    const pdf = await app.call(`${own}?table=my+books&record=1`, { as: 'viewer' })
    expect((await pdf.text()).slice(0, 5)).toBe('%PDF-')
    await expectProblem(await app.call(page), 401, 'unauthenticated')
    await expectProblem(await app.call(`${own}?table=my+books&record=2`, { as: 'viewer' }), 404, 'not_found')
    await expectProblem(await app.call(`${own}?table=none&record=1`, { as: 'viewer' }), 404, 'not_found')
    const params = { table: 'my books', record: ['\ud800'] }
    await expectProblem(await app.call(own, { as: 'editor', body: { format: 'html', params } }), 404, 'not_found')
    await expectProblem(await app.call(own, { as: 'viewer' }), 422, 'validation_failed')
    await expectProblem(await app.call('/api/v1/documents/_rowhouse/other', { as: 'viewer' }), 404, 'not_found')
  })

  test('names each of many linked records', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `town ${index + 1}.`)
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'towns', columns: [{ name: 'name', type: 'text' }] } })
    const columns = [{ name: 'towns', type: 'manyLinks', options: { table: 'towns' } }]
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'maps', columns } })
    await app.call('/api/v1/tables/towns/records', { as: 'editor', body: names.map((name) => ({ name })) })
    const made = await app.call('/api/v1/tables/maps/records', { as: 'editor', body: { towns: names.map((_, index) => index + 1) } })
    expect(made.status).toBe(201)
    const text = await (await app.call(`${own}?table=maps&record=1&format=html`, { as: 'viewer' })).text()
    expect(names.filter((name) => !text.includes(name))).toEqual([])
  })

  test('makes one document of several records, a section for each in the order of the request', async () => {
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'cities', columns: [{ name: 'name', type: 'text' }] } })
    await app.call('/api/v1/tables/cities/records', { as: 'editor', body: ['Graz', 'Linz', 'Wien'].map((name) => ({ name })) })
    const cities = `${own}?table=cities&record=3&record=1&record=2`
    const html = await (await app.call(`${cities}&format=html`, { as: 'viewer' })).text()
    expect([...html.matchAll(/<h1>(.*?)<\/h1>/g)].map(([, name]) => name)).toEqual(['Wien', 'Graz', 'Linz'])
    expect(html).toContain('<title>cities</title>')
    const params = { table: 'cities', record: ['3', '1', '2'] }
    const saveTo = { table: 'my books', pk: 1, column: 'scans' }
    const { file } = await json(app.call(own, { as: 'editor', body: { params, saveTo } }))
    const lastPage = await app.call(`${file.url}?size=large&page=3`, { as: 'viewer' })
    expect(lastPage.headers.get('rowhouse-page-count')).toBe('3')
    await expectProblem(await app.call(`${cities}&record=4`, { as: 'viewer' }), 404, 'not_found')
  })

  test('makes it of a record with a composite key, whose parts are written as in a path', async () => {
    const columns = ['a', 'b'].map((name) => ({ name, type: 'text', required: true }))
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'pairs', primaryKey: ['a', 'b'], columns } })
    const body = [
      { a: 'x', b: 'y' },
      { a: 'x,1', b: '50%' },
    ]
    expect((await app.call('/api/v1/tables/pairs/records', { as: 'editor', body })).status).toBe(201)
    const make = (record: string) => app.call(`${own}?${new URLSearchParams({ table: 'pairs', record, format: 'html' })}`, { as: 'viewer' })
    expect(await (await make('x,y')).text()).toContain('<td>y</td>')
    expect(await (await make('x%2C1,50%25')).text()).toContain('<td>50%</td>')
    for (const key of ['x', 'x,y,z', 'y,x', 'x,%']) await expectProblem(await make(key), 404, 'not_found')
  })

  test('makes it of a record with a long key, and saves it there', async () => {
    const columns = [
      { name: 'url', type: 'text', required: true },
      { name: 'scans', type: 'attachment' },
    ]
    expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'pages', primaryKey: ['url'], columns } })).status).toBe(201)
    const url = `https://example.org/${'page'.repeat(300)}`
    expect((await app.call('/api/v1/tables/pages/records', { as: 'editor', body: { url } })).status).toBe(201)
    const params = { table: 'pages', record: [url] }
    const made = await app.call(own, { as: 'viewer', body: { format: 'html', params } })
    expect(await made.text()).toContain('page'.repeat(300))
    const saveTo = { table: 'pages', pk: url, column: 'scans', name: 'page' }
    const { file } = await json(app.call(own, { as: 'editor', body: { format: 'html', params, saveTo } }))
    expect(file.name).toBe('page.html')
  })

  test('writes values as people of the language do', async () => {
    const { member } = await makeMembers(app)
    const read = async (language: string) => {
      const made = await app.call(`${own}?table=members&record=${member}&format=html`, {
        as: 'viewer',
        headers: { 'accept-language': language },
      })
      const text = await made.text()
      const cells = [...text.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)].map(([, name, value]) => [name, value])
      return { text, values: Object.fromEntries(cells) }
    }
    const german = await read('de')
    expect(german.text).toContain('<html lang="de">')
    expect(german.text).toContain('<h1>Anna Bauer</h1>')
    expect(german.values).toEqual({
      id: '1',
      name: 'Anna Bauer',
      joined: '01.10.2010',
      fee: '1.500,00\u00a0€',
      section: 'Chess',
      active: 'Ja',
      payments: '1 · 03.10.2025 · 75,00\u00a0€ · Gift',
      paid: '75,00\u00a0€',
    })
    expect((await read('en')).values).toMatchObject({ joined: '1 Oct 2010', fee: '€1,500.00', active: 'Yes', paid: '€75.00' })
  })

  test('writes decimals with the places of their column', async () => {
    const columns = [
      { name: 'name', type: 'text' },
      { name: 'weight', type: 'decimal', options: { precision: 8, scale: 2 } },
      { name: 'fine', type: 'decimal', options: { precision: 300, scale: 200 } },
      { name: 'free', type: 'decimal' },
    ]
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'parcels', columns } })
    const parcels = [
      { name: 'a', weight: 1234.5, free: 1234.5 },
      { name: 'b', weight: 5, fine: 5, free: 5 },
    ]
    expect((await app.call('/api/v1/tables/parcels/records', { as: 'editor', body: parcels })).status).toBe(201)
    const read = async (record: number, table = 'parcels') => {
      const made = await app.call(`${own}?table=${table}&record=${record}&format=html`, { as: 'viewer' })
      return Object.fromEntries(
        [...(await made.text()).matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)].map((cell) => cell.slice(1)),
      )
    }
    expect(await read(1)).toMatchObject({ weight: '1,234.50', free: '1,234.5' })
    expect(await read(2)).toMatchObject({ weight: '5.00', fine: `5.${'0'.repeat(100)}`, free: '5' })
    const loads = [
      { name: 'first', type: 'link', options: { table: 'parcels' } },
      { name: 'others', type: 'manyLinks', options: { table: 'parcels' } },
    ]
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'loads', columns: loads } })
    const computed = [
      { name: 'weight', type: 'lookup', options: { link: 'first', column: 'weight' } },
      { name: 'free', type: 'lookup', options: { link: 'first', column: 'free' } },
      { name: 'weights', type: 'lookup', options: { link: 'others', column: 'weight' } },
      { name: 'least', type: 'rollup', options: { link: 'others', column: 'weight', function: 'min' } },
    ]
    for (const body of computed) expect((await app.call('/api/v1/tables/loads/columns', { as: 'admin', body })).status).toBe(201)
    expect((await app.call('/api/v1/tables/loads/records', { as: 'editor', body: { first: 2, others: [1, 2] } })).status).toBe(201)
    expect(await read(1, 'loads')).toMatchObject({ weight: '5.00', free: '5', weights: '1,234.50, 5.00', least: '5.00' })
  })

  test('makes it with the rights of the caller', async () => {
    const saveRules = (rules: object[]) => app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'others', columns: [{ name: 'a', type: 'text' }] } })
    const made = await json(app.call('/api/v1/auth/tokens', { as: 'admin', body: { name: 'x', scope: 'read', tables: ['others'] } }))
    await expectProblem(await app.call(page, { headers: { authorization: `Bearer ${made.token}` } }), 403, 'insufficient_scope')
    expect((await saveRules([{ group: 'everyone', table: 'my books' }])).status).toBe(200)
    await expectProblem(await app.call('/api/v1/tables/my%20books/records/1', { as: 'viewer' }), 403, 'forbidden')
    await expectProblem(await app.call(page, { as: 'viewer' }), 403, 'forbidden')
    expect((await saveRules([])).status).toBe(200)
  })

  test('saves it to a record, and shares it', async () => {
    const params = { table: 'my books', record: '1' }
    const saveTo = { table: 'my books', pk: 1, column: 'scans' }
    const saved = await json(app.call(own, { as: 'editor', body: { format: 'html', params, saveTo } }))
    expect(saved.file.name).toBe('my books _b_Emma__b_ #strong[x] {{ 1 }}.html')
    const document = { plugin: '_rowhouse', template: 'record', format: 'html', params }
    const { url } = await json(app.call('/api/v1/links', { as: 'viewer', body: { document } }))
    expect(await (await fetch(url)).text()).toContain('Emma')
  })
})

describe('with plugins', () => {
  const withPlugins = (plugins: string) => startApp({}, { plugins, beside: app })

  test('that have no template, it is listed', async () => {
    const hook = endpoints(`{ method: 'GET', path: '/', public: true, allow: () => true, handle: () => ({}) }`)
    expect(await listed(await withPlugins(pluginsWith({ 'hooks/plugin.ts': hook })), 'viewer')).toEqual(['_rowhouse/record'])
  })

  test('that have one, only theirs is listed, and links to the other stay valid', async () => {
    const folder = newFolder()
    scaffoldPlugin(folder, 'example')
    const other = await withPlugins(folder)
    expect(await listed(other, 'viewer')).toEqual(['example/record'])
    const [first, second] = [
      await other.call(page, { as: 'viewer' }),
      await other.call(page.replace('_rowhouse', 'example'), { as: 'viewer' }),
    ]
    expect(first.status).toBe(200)
    expect(await first.text()).toBe(await second.text())
  })

  test('a folder of its name is no plugin and cannot take its place', async () => {
    const folder = newFolder()
    scaffoldPlugin(folder, '_rowhouse')
    expect(await listed(await withPlugins(folder), 'viewer')).toEqual(['_rowhouse/record'])
    expect(await json((await withPlugins(folder)).call('/api/v1/plugins', { as: 'admin' }))).toEqual({ plugins: [] })
  })
})
