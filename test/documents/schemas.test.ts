import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { pluginsWith } from '../support/plugins'

const template = (table: string) => `import { documentTemplate, t } from 'rowhouse/plugin'
export default documentTemplate({ title: 'Invoice', public: false, params: t.Object({ order: t.Integer() }),
  for: { table: '${table}', key: 'order' }, allow: () => true, load: () => ({}), formats: { txt: 'a.liquid' } })\n`
const folder = (name: string, table: string) => ({ [`p/${name}/template.ts`]: template(table), [`p/${name}/a.liquid`]: 'x' })
const plugins = pluginsWith({ ...folder('bare', 'orders'), ...folder('whole', 'crm.orders'), ...folder('gone', 'erp.orders') })
const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' }, { plugins })
await app.deps.db.sql.unsafe('create schema crm; create table crm.orders (id int primary key, total int)')
const columns = [{ name: 'total', type: 'integer' }]
const { id: ours } = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'orders', columns } }))
const { id: theirs } = await json(app.call('/api/v1/tables/crm.orders', { as: 'admin' }))

const about = async () => {
  const { documents } = await json(app.call('/api/v1/documents', { as: 'viewer' }))
  return Object.fromEntries(documents.map(({ template, for: records }: Record<string, unknown>) => [template, records]))
}

test('a template is for the one table that its name means to the plugin, and names it by its id', async () => {
  const whole = { table: theirs, key: 'order' }
  expect(await about()).toEqual({ bare: { table: ours, key: 'order' }, whole, gone: null })
  // A table that the caller may not read leaves its name to no other one.
  const rules = [{ group: 'role:editor', table: 'orders', read: 'all' }]
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)
  expect(await about()).toEqual({ bare: null, whole, gone: null })
})
