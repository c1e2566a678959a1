import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { documentXml } from '../support/docx'
import { call, newFolder, run, type Service, startService } from '../support/executable'
import { endpoints, pluginsWith } from '../support/plugins'
import { until } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { setUp } from '../support/used-data'

const shipped = resolve(import.meta.dir, '../../plugins')
const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

const tokenFor = async ({ url }: Service, token: string, role: string): Promise<string> => {
  const password = 'a few unrelated words'
  const email = `${role}@example.net`
  await call(`${url}/api/v1/users`, { token, body: { email, role, password } })
  const login = await call(`${url}/auth/login`, { body: { email, password } })
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
  return ((await (await call(`${url}/auth/tokens`, { cookie, body: { name: 'test' } })).json()) as { token: string }).token
}

async function fill({ url }: Service, token: string) {
  const column = (name: string, type: string, options?: object) => ({ name, type, options })
  const tables = [
    {
      name: 'orders',
      columns: [
        column('number', 'text'),
        column('customer', 'text'),
        column('address', 'longText'),
        column('logo', 'attachment'),
        column('papers', 'attachment'),
      ],
    },
    {
      name: 'lines',
      columns: [
        column('order', 'link', { table: 'orders' }),
        column('position', 'integer'),
        column('text', 'text'),
        column('quantity', 'integer'),
        column('price', 'decimal', { precision: 10, scale: 2 }),
      ],
    },
  ]
  for (const body of tables) expect((await call(`${url}/api/v1/tables`, { token, body })).status).toBe(201)
  const order = { number: '2026-1', customer: 'Ada & Co. <#1>', address: 'Main Street 1' }
  expect((await call(`${url}/api/v1/tables/orders/records`, { token, body: order })).status).toBe(201)
  const lines = [
    { order: 1, position: 2, text: 'Second', quantity: 3, price: '0.10' },
    { order: 1, position: 1, text: 'First {text}', quantity: 1, price: '1200.00' },
  ]
  expect((await call(`${url}/api/v1/tables/lines/records`, { token, body: lines })).status).toBe(201)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png' }
  const logo = await fetch(`${url}/api/v1/tables/orders/records/1/attachments/logo?name=logo.png`, { method: 'POST', body: pixel, headers })
  expect(logo.status).toBe(201)
}

test('the shipped examples do what they say', async () => {
  const cwd = newFolder()
  cpSync(shipped, join(cwd, 'plugins'), { recursive: true })
  await using service = await startService({ cwd, environment: { ROWHOUSE_PLUGIN_HELLO__KEY: 'of-the-warehouse' } })
  const { url } = service
  const admin = await setUp(service)
  const [editor, viewer] = [await tokenFor(service, admin, 'editor'), await tokenFor(service, admin, 'viewer')]
  const get = (path: string, token?: string, headers = {}) => call(`${url}/api/v1/${path}`, { token, headers })
  const status = async (...asked: Parameters<typeof get>) => (await get(...asked)).status

  await untilReadyz({ url }, { status: 'ok' })
  expect(await (await get('custom/hello/greeting?name=Ada')).json()).toEqual({ greeting: 'Hello, Ada!' })
  const page = await get('custom/hello/greeting', undefined, { origin: 'https://www.example.org' })
  expect(page.headers.get('access-control-allow-origin')).toBe('https://www.example.org')
  expect([await status('custom/hello/me'), await status('custom/hello/me', viewer)]).toEqual([401, 200])
  expect([
    await status('custom/hello/staff'),
    await status('custom/hello/staff', viewer),
    await status('custom/hello/staff', editor),
  ]).toEqual([401, 403, 200])
  expect(await (await get('custom/hello/staff', undefined, { 'x-key': 'of-the-warehouse' })).json()).toEqual({ by: 'key' })
  expect(await status('custom/hello/staff', undefined, { 'x-key': 'guessed' })).toBe(401)

  await fill(service, admin)
  const invoice = 'documents/invoice/invoice?order=1&format='
  expect([
    await status(`${invoice}pdf`),
    await status(`${invoice}pdf`, viewer),
    await status('documents/invoice/invoice?order=9', editor),
  ]).toEqual([401, 403, 404])
  const pdf = Buffer.from(await (await get(`${invoice}pdf`, editor)).arrayBuffer()).toString('latin1')
  expect([pdf.startsWith('%PDF-'), pdf.includes('/Subtype /Image') || pdf.includes('/Subtype/Image')]).toEqual([true, true])
  const html = await (await get(`${invoice}html`, editor)).text()
  for (const part of ['Ada &amp; Co. &lt;#1&gt;', 'First {text}', '1,200.30', 'data:image/png;base64,']) expect(html).toContain(part)
  const word = documentXml(new Uint8Array(await (await get(`${invoice}docx`, editor)).arrayBuffer())).replace(/<[^>]*>/g, '')
  expect(word).toContain('1. First {text}, 1 x 1,200.00 = 1,200.00; 2. Second, 3 x 0.10 = 0.30; Total 1,200.30')

  const saved = await call(`${url}/api/v1/documents/invoice/invoice`, {
    token: editor,
    body: { params: { order: 1 }, saveTo: { table: 'orders', pk: 1, column: 'papers' } },
  })
  expect(saved.status).toBe(201)

  const labels = 'documents/labels/sheet?table=lines&columns=text&columns=quantity&filter=quantity%3Dgt.2&format='
  expect(await (await get(`${labels}txt`, viewer)).text()).toBe('Second\n3\n\n\n')
  expect(await status(`${labels}pdf`, viewer)).toBe(200)
  expect([await status(`${labels}txt`), await status('documents/labels/sheet?table=nothing&columns=a&format=txt', viewer)]).toEqual([
    401, 404,
  ])

  const record = 'documents/hello/record?table=lines&record='
  expect(await (await get(`${record}2&format=html`, viewer)).text()).toMatch(/<th scope="row">text<\/th><td>First \{text\}<\/td>/)
  expect([await status(`${record}2&format=pdf`, viewer), await status(`${record}2`), await status(`${record}99`, viewer)]).toEqual([
    200, 401, 404,
  ])

  const types = await run(['plugins', 'types'], { cwd, environment: { ROWHOUSE_DATA_DIR: service.dataDir } })
  expect({ code: types.code, stderr: types.stderr }).toEqual({ code: 0, stderr: '' })
  expect(readFileSync(join(cwd, 'plugins/tables.d.ts'), 'utf8')).toContain('"quantity": number | null')
})

test('plugins test shows what each caller gets, and finds what opens to strangers', async () => {
  const cwd = newFolder()
  cpSync(shipped, join(cwd, 'plugins'), { recursive: true })
  const good = await run(['plugins', 'test'], { cwd })
  expect({ code: good.code, stdout: good.stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/GET\t401\t200\t200\t200\t\/api\/v1\/custom\/hello\/me/),
  })
  expect(good.stdout).toMatch(/GET\t401\t403\t200\t200\t\/api\/v1\/custom\/hello\/staff/)
  expect(good.stdout).toMatch(/GET\t401\t\d+\t\d+\t\d+\t\/api\/v1\/documents\/invoice\/invoice/)
  writeFileSync(join(cwd, 'plugins/hello/plugin.ts'), 'throw new Error("no")')
  const odd = endpoints(
    `{ method: 'GET', path: '/', public: true, allow: () => true, handle: async function* () { throw new Error('odd') } }`,
  )
  pluginsWith({ 'odd/plugin.ts': odd }, join(cwd, 'plugins'))
  const bad = await run(['plugins', 'test'], { cwd })
  expect({ code: bad.code, stdout: bad.stdout }).toEqual({ code: 1, stdout: expect.stringContaining('failed\thello/plugin.ts:1:') })
  expect(bad.stdout).toContain('GET\tnone\tnone\tnone\tnone\t/api/v1/custom/odd')
})

test('with --watch a changed plugin is loaded again without a lost request, and a broken one goes on as it was', async () => {
  const plugin = (word: string) =>
    endpoints(
      `{ method: 'GET', path: '/', public: true, allow: () => true, handle: async () => { await Bun.sleep(30); return '${word} ' + (await import('./part')).part } }`,
    )
  const cwd = newFolder()
  const folder = pluginsWith({ 'a/plugin.ts': plugin('one'), 'a/part.ts': `export const part = 'first'` }, join(cwd, 'plugins'))
  await using service = await startService({ cwd, args: ['--watch'] })
  const ask = async () => (await call(`${service.url}/api/v1/custom/a`)).json() as Promise<string>
  const statuses = new Set<number>()
  let isDone = false
  const asking = (async () => {
    while (!isDone) statuses.add((await call(`${service.url}/api/v1/custom/a`)).status)
  })()
  expect(await ask()).toBe('one first')
  pluginsWith({ 'a/plugin.ts': plugin('two') }, folder)
  await until('the plugin is loaded again', async () => (await ask()).startsWith('two'))
  pluginsWith({ 'a/plugin.ts': 'export default {' }, folder)
  await until('the mistake is told', async () => service.log.some(({ msg }) => msg.startsWith('a plugin was left out: a/plugin.ts:1')))
  expect(await ask()).toStartWith('two')
  expect(service.log.filter(({ msg }) => msg === 'plugins were loaded again').length).toBe(1)
  pluginsWith(
    {
      'a/plugin.ts': plugin('three'),
      'a/part.ts': `export const part = 'second'`,
      'b/plugin.ts': plugin('b'),
      'b/part.ts': `export const part = 'b'`,
    },
    folder,
  )
  await until(
    'both are loaded',
    async () => (await ask()) === 'three second' && (await call(`${service.url}/api/v1/custom/b`)).status === 200,
  )
  isDone = true
  await asking
  expect([...statuses]).toEqual([200])
})

test('--watch begins when the directory is made, follows what plugins share, and works through a link', async () => {
  const cwd = newFolder()
  symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'plugins'))
  await using service = await startService({ cwd, args: ['--watch'] })
  const ask = async () => (await call(`${service.url}/api/v1/custom/a`)).text()
  const shared = (word: string) => ({ '_shared/word.ts': `export const word = '${word}'` })
  const plugin = `import { endpoint } from 'rowhouse/plugin'
import { word } from '../_shared/word'
export default endpoint({ method: 'GET', path: '/', public: true, allow: () => true, handle: () => word })
`
  mkdirSync(join(cwd, 'elsewhere'))
  pluginsWith({ ...shared('one'), 'a/plugin.ts': plugin }, join(cwd, 'elsewhere'))
  await until('the plugin is there', async () => (await ask()) === '"one"')
  pluginsWith(shared('two'), join(cwd, 'elsewhere'))
  await until('the change is seen', async () => (await ask()) === '"two"')
  pluginsWith({ 'b/plugin.ts': 'import "rowhouse/plugin"\nthrow new Error("no")' }, join(cwd, 'elsewhere'))
  await until('the mistake has its place', async () => service.log.some(({ msg }) => msg.includes('b/plugin.ts:2:')))
  const { stdout } = await run(['plugins', 'check'], { cwd })
  expect(stdout).toMatch(/failed\tb\tb\/plugin.ts:2:/)
})
