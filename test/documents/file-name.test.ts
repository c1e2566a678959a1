import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { json, startApp } from '../support/app'
import { newFolder } from '../support/executable'
import { pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'

const template = (body: string) => `import { documentTemplate, t } from 'rowhouse/plugin'
export default documentTemplate({ allow: () => true, formats: { txt: 'a.liquid' }, ${body} })\n`
const folder = (name: string, body: string) => ({ [`p/${name}/template.ts`]: template(body), [`p/${name}/a.liquid`]: 'x' })

const forBooks = `params: t.Object({ id: t.Array(t.Integer()) }), for: { table: 'books', key: 'id' }`
const app = await startApp(
  { ROWHOUSE_DATA_DIR: join(newFolder(), 'data') },
  {
    plugins: pluginsWith({
      ...folder('loan', `title: { en: 'Loan', de: 'Ausleihe' }, public: false, ${forBooks}, load: () => ({})`),
      ...folder('open', `title: 'Loan', public: true, ${forBooks}, load: () => ({})`),
      ...folder('plain', `title: 'Without a record', public: false, load: () => ({})`),
      ...folder('own', `title: 'Own', public: false, load: () => ({ number: 'A/7.' }), fileName: ({ number }) => 'Invoice ' + number`),
      ...folder('wrong', `title: 'Wrong', public: false, load: () => ({}), fileName: () => 7`),
    }),
  },
)
const columns = [
  { name: 'title', type: 'text' },
  { name: 'papers', type: 'attachment' },
]
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns } })
const titles = ['Emma', 'a/b: "c"\nsecond line', 'x\u202egnp 🦊', '']
await app.call('/api/v1/tables/books/records', { as: 'editor', body: titles.map((title) => ({ title })) })

const make = (path: string, as?: 'viewer', headers = {}) => app.call(`/api/v1/documents/p/${path}`, { as, headers })
const nameOf = async (response: Promise<Response>) => {
  const answer = await response
  expect(answer.status).toBe(200)
  const header = answer.headers.get('content-disposition') ?? ''
  const [, extended] = /filename\*=UTF-8''(.+)/.exec(header) ?? []
  return extended ? decodeURIComponent(extended) : /filename="(.*)"/.exec(header)?.[1]
}

test.each([
  ['loan?id=1', 'Loan Emma.txt'],
  ['loan?id=2', 'Loan a_b_ _c_.txt'],
  ['loan?id=3', 'Loan x_gnp 🦊.txt'],
  // A record without a name, one that is not there, and several.
  ['loan?id=4', 'Loan 4.txt'],
  ['loan?id=99', 'loan.txt'],
  ['loan?id=1&id=2', 'Loan.txt'],
  ['plain', 'plain.txt'],
  ['own', 'Invoice A_7_.txt'],
])('%s is the file %s', async (path, name) => {
  expect(await nameOf(make(path, 'viewer'))).toBe(name)
})

test('has its title in the language of the reader', async () => {
  expect(await nameOf(make('loan?id=1', 'viewer', { 'accept-language': 'de' }))).toBe('Ausleihe Emma.txt')
})

test('does not name a record that the caller may not read', async () => {
  expect(await nameOf(make('open?id=1'))).toBe('open.txt')
})

test('a long name keeps its extension', async () => {
  const { id } = await json(app.call('/api/v1/tables/books/records', { as: 'editor', body: { title: '🦊'.repeat(100) } }))
  expect(await nameOf(make(`loan?id=${id}`, 'viewer'))).toBe(`Loan ${'🦊'.repeat(48)}.txt`)
})

test('a title of many blanks takes no time', async () => {
  const { id } = await json(app.call('/api/v1/tables/books/records', { as: 'editor', body: { title: `a${' '.repeat(300_000)}b` } }))
  expect(await nameOf(make(`loan?id=${id}`, 'viewer'))).toBe('Loan a_.txt')
})

test('a fileName that returns no text is a problem of the plugin', async () => {
  await expectProblem(await make('wrong', 'viewer'), 500, 'internal')
})

test('a document that is saved has the name too, unless the request gives one', async () => {
  const save = async (saveTo: object) => {
    const body = { params: { id: [1] }, saveTo: { table: 'books', pk: 1, column: 'papers', ...saveTo } }
    return (await json(app.call('/api/v1/documents/p/loan', { as: 'editor', body }))).file.name
  }
  expect(await save({})).toBe('Loan Emma.txt')
  expect(await save({ name: 'Signed' })).toBe('Signed.txt')
})
