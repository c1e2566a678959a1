import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { json } from '../support/app'
import { call, newFolder, run, startService } from '../support/executable'
import { login, startPostgres, uriOf } from '../support/postgres'
import { until } from '../support/processes'
import { setUp } from '../support/used-data'

const guide = readFileSync(join(import.meta.dir, '../../docs/adoption.md'), 'utf8')
const [, grants = ''] = /<!-- limited-role[^>]*-->\s*```sql\n(.*?)```/s.exec(guide) ?? []

const crm = `create schema crm;
create table crm.customers (id serial primary key, name text not null, iban text);
create table crm.orders (id int primary key, customer int references crm.customers, total numeric);
create table crm.salaries (id int primary key, amount numeric);
insert into crm.customers (name, iban) values ('Ada', 'zebra7');
insert into crm.orders values (1, 1, 9.5), (2, 1, 100);
alter table crm.orders enable row level security;
create policy small on crm.orders using (total < 50);`

/** A database that belongs to somebody else, and a superuser's connection into it. */
async function startShop() {
  const server = await startPostgres()
  await server.admin.unsafe('create database shop')
  const owner = postgres({
    path: join(server.socketDir, `.s.PGSQL.${server.port}`),
    user: 'rowhouse',
    database: 'shop',
    max: 1,
    onnotice: () => {},
  })
  await owner.unsafe(crm)
  return {
    owner,
    uri: uriOf(server.port, 'shop'),
    [Symbol.asyncDispose]: async () => {
      await owner.end()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a role that may make nothing is told what to grant, and with that it starts', async () => {
  await using shop = await startShop()
  const environment = { DATABASE_URL: shop.uri, PORT: '0', ROWHOUSE_DATA_DIR: newFolder() }
  const first = await run([], { environment })
  expect(first.code).toBe(1)
  expect(first.stderr).toContain('The role "app" may not make what Rowhouse needs in the database "shop".')
  const [, statements = ''] = /run: (.*)/.exec(first.stderr) ?? []
  expect(statements).toBe('CREATE SCHEMA rowhouse AUTHORIZATION "app"; CREATE SCHEMA data AUTHORIZATION "app";')
  await shop.owner.unsafe('create schema rowhouse')
  expect((await run(['migrate'], { environment })).stderr).toContain(
    'GRANT USAGE, CREATE ON SCHEMA rowhouse TO "app"; CREATE SCHEMA data AUTHORIZATION "app";',
  )
  await shop.owner.unsafe('drop schema rowhouse')
  await shop.owner.unsafe(statements)
  expect((await run(['migrate'], { environment })).code).toBe(0)
})

test('the grants of the guide, and no more: what is granted is served', async () => {
  await using shop = await startShop()
  expect(grants).toContain(`AUTHORIZATION ${login.user};`)
  await shop.owner.unsafe(grants)
  await using service = await startService({ environment: { DATABASE_URL: shop.uri, ROWHOUSE_SCHEMAS: 'crm' } })
  const token = await setUp(service)
  const api = (path: string, more: object = {}) => call(`${service.url}/api/v1${path}`, { token, ...more })

  const { tables } = await json(api('/tables'))
  expect(tables.map(({ schema, name, readOnly }: Record<string, unknown>) => [schema, name, readOnly])).toEqual([
    ['data', 'items', false],
    ['crm', 'customers', false],
    ['crm', 'orders', true],
  ])
  expect(await json(api('/tables/customers/records/1'))).toEqual({ id: 1, name: 'Ada' })
  expect((await json(api('/tables/customers/records'))).records).toEqual([{ id: 1, name: 'Ada' }])
  // Row level security lets the role see the first order only.
  expect((await json(api('/tables/crm.orders/records'))).records).toEqual([{ id: 1, customer: 1, total: 9.5 }])
  expect((await api('/tables/crm.orders/records/2')).status).toBe(404)
  expect(await json(api('/tables/customers/records', { body: { name: 'Bob' } }))).toEqual({ id: 2, name: 'Bob' })
  expect((await api('/tables/customers/records/2', { method: 'PATCH', body: { name: 'Rob' } })).status).toBe(200)
  expect((await api('/tables/customers/records/2', { method: 'PATCH', body: { iban: 'x' } })).status).toBeOneOf([403, 409, 422])
  expect((await api('/tables/customers/records/2', { method: 'DELETE' })).status).toBeOneOf([403, 409])
  expect((await api('/tables/orders/records', { body: { id: 2 } })).status).toBeOneOf([403, 409])
  expect((await api('/tables/salaries')).status).toBe(404)
  expect((await api('/tables/salaries/records')).status).toBe(404)
})

test('a role that may create no extension is told what a superuser has to run for a search index', async () => {
  await using shop = await startShop()
  await shop.owner.unsafe(grants)
  await using service = await startService({ environment: { DATABASE_URL: shop.uri } })
  const token = await setUp(service)
  const items = (more: object = {}) => call(`${service.url}/api/v1/tables/items`, { token, ...more })
  const switchOn = () => items({ method: 'PATCH', body: { searchIndex: true } })
  const refused = await switchOn()
  const { hint } = await json(refused)
  expect([refused.status, hint]).toEqual([409, 'Let a superuser run: create extension if not exists pg_trgm with schema rowhouse;'])
  await shop.owner.unsafe(hint.replace('Let a superuser run: ', ''))
  expect((await switchOn()).status).toBe(200)
  await until('the index is ready', async () => (await json(items())).searchIndex === 'ready')
})

test('what the report says to run is what is missing, and it is seen without a restart', async () => {
  await using shop = await startShop()
  await shop.owner.unsafe(grants)
  await using service = await startService({ environment: { DATABASE_URL: shop.uri, ROWHOUSE_SCHEMAS: 'crm' } })
  const token = await setUp(service)
  const report = async () => (await json(call(`${service.url}/api/v1/schemas/crm/report`, { token }))).tables
  const before = await report()
  expect(before.map(({ name, level }: Record<string, string>) => [name, level])).toEqual([
    ['customers', 'full'],
    ['orders', 'readOnly'],
    ['salaries', 'refused'],
  ])
  expect(JSON.stringify(before)).not.toContain('zebra7')
  // In turns, since what cannot be read at all says no more than that.
  for (let turn = 0; turn < 2; turn++) {
    const reasons: string[] = (await report()).flatMap((table: { reasons: string[] }) => table.reasons)
    for (const reason of reasons) await shop.owner.unsafe(/Let the owner run: (.*)$/.exec(reason)![1]!)
  }
  expect(await report()).toEqual(
    ['customers', 'orders', 'salaries'].map((name) => ({ name, kind: 'table', level: 'full', primaryKey: ['id'], reasons: [] })),
  )
  await until('the tables are served', async () => (await call(`${service.url}/api/v1/tables/salaries/records`, { token })).status === 200)
  const made = await call(`${service.url}/api/v1/tables/customers/records`, { token, body: { name: 'Eve', iban: 'y' } })
  expect(await made.json()).toEqual({ id: 2, name: 'Eve', iban: 'y' })
  // The right to use a counter is enough to move it beyond the keys of a file.
  const file = await fetch(`${service.url}/api/v1/tables/customers/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: 'id,name\n3,Fay\n4,Gil\n',
  })
  expect(await json(file)).toMatchObject({ inserted: 2 })
  expect(await json(call(`${service.url}/api/v1/tables/customers/records`, { token, body: { name: 'Hal' } }))).toMatchObject({ id: 5 })
})
