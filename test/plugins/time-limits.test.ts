import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { endpoints, pluginsWith } from '../support/plugins'
import { head, sendRaw } from '../support/raw'

const heavy = '{% for a in (1..30000) %}{% for b in (1..30000) %}{% assign c = b %}{% endfor %}{% endfor %}'
const template = `import { documentTemplate } from 'rowhouse/plugin'
export default documentTemplate({ title: 'x', public: false, allow: () => true, load: () => ({}), formats: { txt: 'a.liquid' } })
`
const plugins = pluginsWith({
  'patient/plugin.ts': endpoints(
    `{ method: 'POST', path: '/wait', public: false, allow: () => true, handle: async ({ records, transaction }) => transaction(async (tx) => {
       await tx.records('done').create({ title: 'written' })
       while ((await records('signs').list({ limit: 1 })).records.length === 0) await Bun.sleep(50)
       return 'done'
     }) }`,
  ),
  'patient/heavy/template.ts': template,
  'patient/heavy/a.liquid': heavy,
  'patient/light/template.ts': template,
  'patient/light/a.liquid': 'one line',
})
// Requests end 10 s behind the time of a query.
const app = await startApp({ ROWHOUSE_QUERY_TIMEOUT: '1s', ROWHOUSE_PLUGIN_TIMEOUT: '120s', ROWHOUSE_RENDER_TIMEOUT: '60s' }, { plugins })
for (const name of ['done', 'signs'])
  await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: [{ name: 'title', type: 'text' }] } })

test('a call may take as long as ROWHOUSE_PLUGIN_TIMEOUT says, where other requests may not', async () => {
  const waiting = app.call('/api/v1/custom/patient/wait', { as: 'editor', method: 'POST' })
  // A request that began later, whose body never comes.
  const bodiless = head('POST', '/api/v1/tables/signs/records', [
    ['Authorization', `Bearer ${app.tokens.editor}`],
    ['Content-Type', 'application/json'],
    ['Content-Length', '100'],
  ])
  expect((await sendRaw(app.url, bodiless, 30_000)).status).toBe(503)
  await app.call('/api/v1/tables/signs/records', { as: 'editor', body: { title: 'go on' } })
  expect((await waiting).status).toBe(200)
  expect((await json(app.call('/api/v1/tables/done/records', { as: 'viewer' }))).records).toHaveLength(1)
})

test('the heavy documents of one caller keep nobody else’s waiting', async () => {
  const client = new AbortController()
  const ask = () =>
    fetch(`${app.url}/api/v1/documents/patient/heavy`, { headers: { authorization: `Bearer ${app.tokens.viewer}` }, signal: client.signal })
  let ended = 0
  const heavyOnes = Array.from({ length: 3 }, () =>
    ask().then(
      () => ended++,
      () => {},
    ),
  )
  const light = await app.call('/api/v1/documents/patient/light', { as: 'admin' })
  expect([light.status, await light.text(), ended]).toEqual([200, 'one line', 0])
  client.abort()
  await Promise.all(heavyOnes)
})
