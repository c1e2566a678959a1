import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { json, startApp } from '../../support/app'
import { bearer, makePerson } from '../../support/people'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'ext' })
const open = await startApp({ ROWHOUSE_PUBLIC_DOCS: '1' })

type Operation = {
  operationId: string
  tags: string[]
  parameters: { name?: string; $ref?: string }[]
  requestBody?: { content: { 'application/json': { schema: object } } }
}
// biome-ignore lint/suspicious/noExplicitAny: schemas of JSON are read by many paths
type Schema = { type: string; required?: string[]; properties: Record<string, any> }
type Description = {
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

let grace = { id: '', headers: {} as Record<string, string> }
const textAs = async (headers: Record<string, string>) => (await app.call('/swagger/json', { headers })).text()
const descriptionAs = async (headers: Record<string, string>): Promise<Description> => JSON.parse(await textAs(headers))
const asRole = (role: 'admin' | 'editor' | 'viewer') => descriptionAs(bearer(app.tokens[role]))
/** The words that the text has. */
const said = (text: string, words: string[]) => words.filter((word) => text.includes(word))

const records = '/api/v1/tables/orders/records'
const made = async (path: string, body: object) => expect((await app.call(path, { as: 'admin', body })).status).toBe(201)
async function save(...rules: object[]) {
  const answer = await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })
  expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
}
const line = (table: string, more: object = {}) => ({
  group: 'everyone',
  table,
  read: 'all',
  create: 'all',
  update: 'all',
  delete: 'all',
  ...more,
})

beforeAll(async () => {
  const { user, token } = await makePerson(app)
  grace = { id: user.id, headers: bearer(token) }
  await made('/api/v1/tables', { name: 'clients_x', columns: [{ name: 'name', type: 'text' }] })
  await made('/api/v1/tables', {
    name: 'orders',
    columns: [
      { name: 'title', type: 'text', required: true, description: 'For people' },
      { name: 'phase_x', type: 'select', options: { choices: ['open', 'paid'] }, default: 'open' },
      { name: 'price', type: 'decimal' },
      { name: 'twice_x', type: 'formula', options: { formula: '{price} * 2' } },
      { name: 'customer', type: 'link', options: { table: 'clients_x' } },
      { name: 'limit', type: 'integer' },
      { name: 'files', type: 'attachment' },
      { name: 'made', type: 'createdAt' },
    ],
  })
  await made('/api/v1/tables/orders/columns', { name: 'customer name', type: 'lookup', options: { link: 'customer', column: 'name' } })
  await made('/api/v1/tables', { name: 'Заказы {x}/y"', columns: [{ name: 'имя', type: 'text' }] })
  await app.deps.db.sql.unsafe(`
    create schema if not exists ext;
    create table ext.orders (code text primary key, tags int4range[], size int not null default 1);
    create table ext.keyless (note text);
    create table data."." (id int primary key);
    create table data."ext.orders" (id int primary key);`)
})
beforeEach(() => save())

describe('the description that a caller gets', () => {
  test('has the operations of each table, and is valid OpenAPI 3.1', async () => {
    const found = await asRole('admin')
    expect(await new Validator().validate(JSON.parse(JSON.stringify(found)))).toEqual({ valid: true })
    expect(Object.keys(found.paths[records]!)).toEqual(['get', 'post', 'patch', 'delete'])
    expect(Object.keys(found.paths[`${records}/{pk}`]!)).toEqual(['get', 'patch', 'put', 'delete'])
    expect(found.paths[records]!.get).toMatchObject({ operationId: 'list_orders', tags: ['tables/orders'] })
    expect(found.tags.map(({ name }) => name)).toContain('tables/orders')
    const ids = Object.values(found.paths).flatMap((operations) => Object.values(operations).map(({ operationId }) => operationId))
    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(found.components.schemas).filter((name) => !/^[A-Za-z0-9._-]+$/.test(name))).toEqual([])
  })

  test('has every path as it can be called', async () => {
    const found = await asRole('admin')
    const lists = Object.keys(found.paths).filter((path) => path.endsWith('/records') && !path.includes('{'))
    expect(lists.length).toBe(7)
    for (const path of lists) {
      const table = await json(app.call(path.replace(/\/records$/, ''), { as: 'admin' }))
      const { tags } = found.paths[path]!.get!
      expect({ path, name: tags[0] }).toEqual({
        path,
        name: `tables/${/\/[0-9a-f-]{36}\//.test(path) ? table.id : table.schema === 'ext' ? `ext.${table.name}` : table.name}`,
      })
      expect((await app.call(path, { as: 'admin' })).status).toBe(200)
    }
    expect(found.paths['/api/v1/tables/ext.keyless/records/{pk}']).toBeUndefined()
  })

  test('describes columns by type, choices, links, what is required and what is read-only', async () => {
    const { schemas } = (await asRole('editor')).components
    const { properties } = schemas['orders.Record']!
    expect(properties.title).toEqual({ type: 'string', description: 'For people' })
    expect(properties.phase_x).toEqual({ type: ['string', 'null'], enum: ['open', 'paid', null], default: 'open' })
    expect(properties.twice_x.readOnly).toBe(true)
    expect(properties.made.readOnly).toBe(true)
    expect(properties.files.readOnly).toBe(true)
    expect(properties.customer.description).toBe('Key of a record of `clients_x`.')
    expect(properties['customer name']).toEqual({ type: ['string', 'null'], readOnly: true })
    expect(properties.id.description).toBe('Primary key.')
    const sent = ['id', 'title', 'phase_x', 'price', 'customer', 'limit']
    expect(schemas['orders.Create']!.required).toEqual(['title'])
    expect(Object.keys(schemas['orders.Create']!.properties)).toEqual(sent)
    expect(Object.keys(schemas['orders.Update']!.properties)).toEqual(sent)
    expect(schemas['orders.Update']!.required).toBeUndefined()
  })

  test('fits the records that are really sent and answered', async () => {
    const { schemas } = (await asRole('editor')).components
    const ajv = addFormats(new Ajv2020({ strict: false }))
    const body = { title: 'One', phase_x: 'paid', price: '1.50', limit: 3 }
    expect([ajv.validate(schemas['orders.Create']!, body), ajv.validate(schemas['orders.Create']!, { phase_x: 'paid' })]).toEqual([
      true,
      false,
    ])
    expect(ajv.validate(schemas['orders.Update']!, { nothing: 1 })).toBe(false)
    const answer = await json(app.call(records, { as: 'editor', body }))
    ajv.validate(schemas['orders.Record']!, answer)
    expect(ajv.errors).toBeNull()
    const filters = (await asRole('editor')).paths[records]!.get!.parameters.flatMap(({ name }) => name ?? [])
    expect(filters).toEqual(['id', 'title', 'phase_x', 'price', 'twice_x', 'customer', '"limit"', 'files', 'made', '"customer name"'])
    const found = await json(app.call(`${records}?${encodeURIComponent('"limit"')}=eq.3`, { as: 'editor' }))
    expect(found.records.length).toBe(1)
  })

  test('offers a viewer and a token to read nothing that writes, and a token of one table no other', async () => {
    const viewer = await asRole('viewer')
    expect(Object.keys(viewer.paths[records]!)).toEqual(['get'])
    expect(viewer.components.schemas['orders.Create']).toBeUndefined()
    const { id } = await json(app.call('/api/v1/tables/clients_x', { as: 'admin' }))
    const { token } = await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'narrow', scope: 'read', tables: [id] } }))
    const text = await textAs(bearer(token))
    expect(JSON.parse(text).tags.filter(({ name }: { name: string }) => name.startsWith('tables/'))).toHaveLength(1)
    expect(said(text, ['tables/orders', 'orders.', 'phase_x'])).toEqual([])
  })

  test('names no hidden column and no closed table', async () => {
    await save(
      line('orders', { delete: 'none', columns: { read: ['title', 'customer'], write: ['title', 'price'] } }),
      line('clients_x', { group: 'role:viewer' }),
    )
    const text = await textAs(grace.headers)
    const { paths, components } = JSON.parse(text) as Description
    expect(said(text, ['phase_x', 'twice_x', 'clients_x', 'customer name'])).toEqual([])
    expect(Object.keys(paths[records]!)).toEqual(['get', 'post', 'patch'])
    expect(Object.keys(components.schemas['orders.Record']!.properties)).toEqual(['id', 'title', 'customer'])
    expect(Object.keys(components.schemas['orders.Create']!.properties)).toEqual(['title', 'price'])
    expect(said(await textAs(bearer(app.tokens.admin)), ['phase_x', 'clients_x'])).toHaveLength(2)
  })

  test('offers for creation and change the columns that a line allows for each', async () => {
    await save(
      line('orders', { update: 'none', columns: { write: ['title'] } }),
      line('orders', { create: 'none', columns: { write: ['phase_x'] } }),
    )
    const { schemas } = (await descriptionAs(grace.headers)).components
    expect(Object.keys(schemas['orders.Create']!.properties)).toEqual(['title'])
    expect(Object.keys(schemas['orders.Update']!.properties)).toEqual(['phase_x'])
  })

  test('follows the tables and the rules at once', async () => {
    const before = await textAs(grace.headers)
    expect((await textAs(grace.headers)) === before).toBe(true)
    await made('/api/v1/tables', { name: 'later_x', columns: [] })
    expect(said(await textAs(grace.headers), ['tables/later_x'])).toHaveLength(1)
    await save(line('later_x', { group: 'role:viewer' }))
    expect(said(await textAs(grace.headers), ['later_x'])).toEqual([])
  })

  test('is the one of all routes for strangers, and has the tables for who is signed in, where everybody may read it', async () => {
    expect((await open.call('/api/v1/tables', { as: 'admin', body: { name: 'secrets', columns: [] } })).status).toBe(201)
    const stranger = await (await open.call('/swagger/json')).text()
    expect(stranger).not.toContain('secrets')
    expect(await (await open.call('/swagger/json', { headers: bearer('wrong') })).text()).toBe(stranger)
    expect(said(await (await open.call('/swagger/json', { as: 'viewer' })).text(), ['tables/secrets'])).toHaveLength(1)
  })
})
