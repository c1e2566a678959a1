import { expect, test } from 'bun:test'
import { catalogVersionSql } from '../../../src/db/schema/catalog-version'
import { json, startApp } from '../../support/app'
import { crm } from '../../support/crm'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
await app.deps.db.sql.unsafe(crm)

test('tables of a served schema are listed, partitions are not', async () => {
  const { tables } = await json(app.call('/api/v1/tables', { as: 'viewer' }))
  expect(tables.map(({ schema, name, primaryKey, readOnly }: Record<string, unknown>) => ({ schema, name, primaryKey, readOnly }))).toEqual(
    [
      { schema: 'crm', name: 'columnless', primaryKey: [], readOnly: false },
      { schema: 'crm', name: 'companies', primaryKey: ['country', 'code'], readOnly: false },
      { schema: 'crm', name: 'doors', primaryKey: [], readOnly: false },
      { schema: 'crm', name: 'emails', primaryKey: [], readOnly: false },
      { schema: 'crm', name: 'events', primaryKey: ['id', 'at'], readOnly: false },
      { schema: 'crm', name: 'keyless', primaryKey: [], readOnly: false },
      { schema: 'crm', name: 'late', primaryKey: ['id'], readOnly: false },
      { schema: 'crm', name: 'people', primaryKey: ['id'], readOnly: false },
      { schema: 'crm', name: 'snapshot', primaryKey: [], readOnly: true },
      { schema: 'crm', name: 'totals', primaryKey: [], readOnly: true },
      { schema: 'crm', name: 'we"ird, na.me', primaryKey: ['a b'], readOnly: false },
    ],
  )
})

const get = (reference: string) => app.call(`/api/v1/tables/${encodeURIComponent(reference)}`, { as: 'viewer' })

test('a table is its id, its name, or schema and name', async () => {
  const { id } = await json(get('people'))
  for (const reference of ['crm.people', id, id.toUpperCase()]) expect((await json(get(reference))).id).toBe(id)
  const { code, hint } = await json(get('crm.peple'))
  expect([code, hint]).toEqual(['not_found', 'Did you mean "crm.people"?'])
  for (const reference of ['data.people', 'public.people', 'rowhouse.users', 'pg_catalog.pg_class', 'crm.', '.people', 'crm.people.id']) {
    expect((await get(reference)).status).toBe(404)
  }
})

test('a bare name means data first, then the schemas in their order', async () => {
  const other = await startApp({ ROWHOUSE_SCHEMAS: 'b, a ,b' })
  await other.deps.db.sql.unsafe(
    'create schema a; create schema b; create table a.both (id int); create table b.both (id int); create table a.only (id int)',
  )
  const schema = async (name: string) => (await json(other.call(`/api/v1/tables/${name}`, { as: 'viewer' }))).schema
  expect([await schema('both'), await schema('a.both'), await schema('only')]).toEqual(['b', 'a', 'a'])
  await other.call('/api/v1/tables', { as: 'admin', body: { name: 'both', columns: [] } })
  expect([await schema('both'), await schema('b.both'), await schema('data.both')]).toEqual(['data', 'b', 'data'])
  const { tables } = await json(other.call('/api/v1/tables', { as: 'viewer' }))
  expect(tables.map((table: Record<string, string>) => `${table.schema}.${table.name}`)).toEqual([
    'data.both',
    'b.both',
    'a.both',
    'a.only',
  ])
})

test('hostile names of schemas are only names', async () => {
  const names = ['a.b', 'a"b', "a'b", 'Ä b', 'select', '__proto__', 'a\\b', '{a}', '$1']
  const hostile = await startApp({ ROWHOUSE_SCHEMAS: names.join(',') })
  for (const name of names) {
    const quoted = `"${name.replaceAll('"', '""')}"`
    await hostile.deps.db.sql.unsafe(
      `create schema ${quoted}; create type ${quoted}."e ""x" as enum ('y'); create table ${quoted}.t (id int primary key, e ${quoted}."e ""x")`,
    )
    const reference = encodeURIComponent(`${name}.t`)
    expect(await json(hostile.call(`/api/v1/tables/${reference}`, { as: 'viewer' }))).toMatchObject({ schema: name, name: 't' })
    const made = await hostile.call(`/api/v1/tables/${reference}/records`, { as: 'editor', body: { id: 1, e: 'y' } })
    expect({ name, status: made.status, body: await made.text() }).toMatchObject({ name, status: 201 })
    const report = await json(hostile.call(`/api/v1/schemas/${encodeURIComponent(name)}/report`, { as: 'admin' }))
    expect(report.tables).toEqual([{ name: 't', kind: 'table', level: 'full', primaryKey: ['id'], reasons: [] }])
  }
})

test('columns show what PostgreSQL knows of them, in its order', async () => {
  const { columns, createdAt } = await json(get('people'))
  expect(createdAt).toBeNull()
  const shown = columns.map(({ id: _, position, description, ...column }: Record<string, unknown>) => column)
  expect(columns.map(({ position }: { position: number }) => position)).toEqual([...columns.keys()])
  const none = { required: false, unique: false, default: null, options: {}, readOnly: false }
  expect(shown.slice(0, 8)).toEqual([
    { ...none, name: 'id', type: 'bigint', required: true, readOnly: true },
    { ...none, name: 'other_id', type: 'integer', required: true },
    { ...none, name: 'email', type: 'text', unique: true },
    { ...none, name: 'mood', type: 'select', default: 'ok', options: { choices: ['sad', 'ok', 'it\'s "great"'] } },
    { ...none, name: 'moods', type: 'other' },
    { ...none, name: 'more_moods', type: 'other' },
    { ...none, name: 'address', type: 'other' },
    { ...none, name: 'salary', type: 'decimal', required: true, options: { precision: 12, scale: 2 } },
  ])
  const typesOf = Object.fromEntries(shown.map(({ name, type }: Record<string, string>) => [name, type]))
  expect(typesOf).toMatchObject({
    tags: 'other',
    during: 'other',
    local: 'other',
    created: 'dateTime',
    ratio: 'float',
    bits: 'other',
    doc: 'json',
  })
  const defaults = Object.fromEntries(shown.map(({ name, default: value }: Record<string, unknown>) => [name, value]))
  expect(defaults).toMatchObject({
    price: 1.5,
    offset_: -5,
    active: true,
    doc: { a: [1] },
    created: null,
    since: '2020-01-01T00:00:00+00:00',
  })
})

test('a unique key that can be a conflict’s name is none that is deferred or partial, and the stricter of two of one column', async () => {
  const [found] = await app.deps.db.query<{ version: string }>(`select ${catalogVersionSql} as version`)
  const { byName } = await app.deps.catalog.at(Number(found!.version))
  expect(byName.get('late')!.uniqueKeys).toEqual([['id']])
  expect(byName.get('people')!.uniqueKeys).toEqual([['id'], ['country', 'born'], ['email'], ['amount']])
  expect(byName.get('people')!.caselessKeys).toEqual(['email'])
  expect(byName.get('people')!.foreignKeys).toEqual([
    { name: 'people_boss', columns: ['boss'], target: { schema: 'crm', name: 'people' }, targetColumns: ['id'] },
    {
      name: 'people_company',
      columns: ['country', 'code'],
      target: { schema: 'crm', name: 'companies' },
      targetColumns: ['country', 'code'],
    },
  ])
  expect(Object.fromEntries([...byName.values()].map(({ name, hasRowVersion }) => [name, hasRowVersion]))).toMatchObject({
    ...{ people: true, snapshot: true, events: false, emails: false },
  })
})
