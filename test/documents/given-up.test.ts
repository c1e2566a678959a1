import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { json, startApp } from '../support/app'
import { newFolder } from '../support/executable'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'
import { hangMs, until } from '../support/processes'

const template = (load: string) => `import { documentTemplate } from 'rowhouse/plugin'
export default documentTemplate({ title: 'x', public: true, allow: () => true, load: ${load}, formats: { txt: 'a.liquid' } })
`
const late = `async ({ asSystem, signal, log }) => {
  await new Promise((done) => signal.aborted ? done() : signal.addEventListener('abort', done))
  log.info('heard')
  try {
    await asSystem().records('books').create({ title: 'too late' })
    log.info('written')
  } catch {
    log.info('refused')
  }
  return {}
}`
const numbers = Array.from({ length: 55 }, (_, index) => index)
const many = numbers.map((index) => ({
  [`many/t${index}/template.ts`]: template('() => ({})'),
  [`many/t${index}/a.liquid`]: `template ${index}`,
}))
const folder = pluginsWith({
  ...Object.assign({}, ...many),
  'own/plugin.ts': endpoints(
    `{ method: 'GET', path: '/late', public: true, allow: () => true, handle: async ({ documents }) => (await documents.render({ template: 'late' })).length }`,
  ),
  'own/late/template.ts': template(late),
  'own/late/a.liquid': '',
  'own/loops/template.ts': template('() => ({})'),
  'own/loops/a.liquid': '{% for a in (1..30000) %}{% for b in (1..30000) %}{% assign c = b %}{% endfor %}{% endfor %}',
})
const app = await startApp({ ROWHOUSE_DATA_DIR: join(newFolder(), 'data') }, { plugins: folder })
/** On the same database; it gives calls up, and waits for documents longer than any test does. */
const hurried = await startApp(
  { ROWHOUSE_DATA_DIR: join(newFolder(), 'data'), ROWHOUSE_PLUGIN_TIMEOUT: '2s', ROWHOUSE_RENDER_TIMEOUT: '200s' },
  { plugins: folder, target: app.target, users: false },
)
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } })
const get = (path: string, { url } = app) => fetch(`${url}/api/v1/${path}`, { signal: AbortSignal.timeout(hangMs) })

test('a document within a call ends with it, and does nothing any more', async () => {
  await expectProblem(await get('custom/own/late', hurried), 503, 'unavailable')
  const said = () => hurried.events.flatMap((event) => (event.kind === 'plugin_log' ? [event.message] : []))
  await until('it has tried to write', () => said().length === 2)
  expect(said()).toEqual(['heard', 'refused'])
  expect((await json(app.call('/api/v1/tables/books/records?title=eq.too late', { as: 'viewer' }))).records).toEqual([])
})

test('what is made for a call that was given up keeps nobody else waiting', async () => {
  // One for each process that makes documents.
  for (const answer of await Promise.all([1, 2].map(() => get('documents/own/loops', hurried))))
    await expectProblem(answer, 503, 'unavailable')
  // A busy machine may not start a process in time.
  let made = ''
  await until('another document is made', async () => {
    made = await (await get('documents/many/t1', hurried)).text()
    return !made.includes('unavailable')
  })
  expect(made).toBe('template 1')
})

test('however many templates there are, none is forgotten', async () => {
  for (const round of [1, 2])
    for (const index of numbers)
      expect({ round, text: await (await get(`documents/many/t${index}`)).text() }).toEqual({ round, text: `template ${index}` })
})
