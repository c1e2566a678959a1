import { expect, test } from 'bun:test'
import { join } from 'node:path'
import postgres from 'postgres'
import { json } from '../support/app'
import { call, newFolder, run, type Service, startService } from '../support/executable'
import { startTwo } from '../support/instances'
import { startPostgres } from '../support/postgres'
import { until } from '../support/processes'
import { setUp } from '../support/used-data'

/** A connection of a superuser, as psql would have it. */
const psqlOn = ({ socketDir, port }: { socketDir: string; port: number }, uri: string) =>
  postgres({
    path: join(socketDir, `.s.PGSQL.${port}`),
    user: 'rowhouse',
    database: new URL(uri).pathname.slice(1),
    max: 1,
    onnotice: () => {},
  })

const columnsOf = async (service: Service, token: string, table: string): Promise<string[]> => {
  const answer = await json(call(`${service.url}/api/v1/tables/${table}`, { token }))
  return answer.columns?.map(({ name }: { name: string }) => name) ?? [answer.code]
}

test('an ordinary role: both instances see a change after a moment, and at a word at once', async () => {
  await using instances = await startTwo()
  const { one, two, server, uri } = instances
  const token = await setUp(one)
  const psql = psqlOn(server, uri)
  expect((await psql`select 1 from pg_event_trigger`).length).toBe(0)
  await psql.unsafe('create table data.notes (id int primary key, a text); grant select on data.notes to app')
  for (const service of [one, two]) await until('the table is there', async () => (await columnsOf(service, token, 'notes')).length === 2)
  for (const [channel, payload, column] of [
    ['rowhouse', 'reload', 'b'],
    ['pgrst', 'reload schema', 'c'],
    ['pgrst', '', 'd'],
  ] as const) {
    await psql.unsafe(`alter table data.notes add ${column} text; notify ${channel}, '${payload}'`)
    for (const service of [one, two]) await until('it is heard', async () => (await columnsOf(service, token, 'notes')).includes(column))
  }
  // A role's membership is told by nobody, and found all the same.
  await psql.unsafe(
    'create table data.closed (id int primary key); create role readers; grant select on data.closed to readers; grant readers to app',
  )
  for (const service of [one, two])
    await until('the right is there', async () => (await columnsOf(service, token, 'closed')).includes('id'))
  await psql.end()
})

test('with event triggers the very next request of both instances sees a change', async () => {
  await using server = await startPostgres()
  await server.createDatabase('told')
  const uri = `postgres://rowhouse@/told?host=${server.socketDir}&port=${server.port}`
  await using one = await startService({ environment: { DATABASE_URL: uri } })
  await using two = await startService({ environment: { DATABASE_URL: uri } })
  const token = await setUp(one)
  const psql = postgres({
    path: join(server.socketDir, `.s.PGSQL.${server.port}`),
    user: 'rowhouse',
    database: 'told',
    max: 1,
    onnotice: () => {},
  })
  expect((await psql`select evtname from pg_event_trigger order by 1`).map(({ evtname }) => evtname)).toEqual([
    'rowhouse_ddl',
    'rowhouse_drop',
  ])
  await psql.unsafe('create table data.notes (id int primary key)')
  for (let time = 0; time < 30; time++) {
    await psql.unsafe(`alter table data.notes add column c${time} int`)
    const seen = await Promise.all([one, two].map((service) => columnsOf(service, token, 'notes')))
    for (const columns of seen) expect(columns).toContain(`c${time}`)
  }
  // What the watch counts away is missed by nobody.
  await until('the changes are counted', async () => (await psql`select 1 from rowhouse.catalog_changes`).length === 0)
  await psql.unsafe('drop table data.notes')
  for (const service of [one, two]) expect(await columnsOf(service, token, 'notes')).toEqual(['not_found'])
  await psql.end()
})

test('behind a pooler, where nobody can listen, a look is enough', async () => {
  await using instances = await startTwo({ DATABASE_PREPARE: '0' })
  const { one, two, server, uri } = instances
  const token = await setUp(one)
  const psql = psqlOn(server, uri)
  await psql.unsafe('create table data.notes (id int primary key); grant select on data.notes to app')
  for (const service of [one, two]) await until('the table is there', async () => (await columnsOf(service, token, 'notes'))[0] === 'id')
  expect((await psql`select 1 from pg_stat_activity where query ilike 'listen%' and application_name = 'rowhouse'`).length).toBe(0)
  await psql.end()
})

test('a schema that is not there stops the start; one that is dropped later is said, and missed by nobody else', async () => {
  await using server = await startPostgres()
  const uri = await server.createDatabase('schemas')
  const psql = psqlOn(server, uri)
  await psql.unsafe(
    'create schema crm; create table crm.people (id int primary key); grant usage on schema crm to app; grant select on crm.people to app',
  )
  const environment = { DATABASE_URL: uri, PORT: '0', ROWHOUSE_DATA_DIR: newFolder() }
  const { code, stderr } = await run([], { environment: { ...environment, ROWHOUSE_SCHEMAS: 'public,cmr' } })
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      'ROWHOUSE_SCHEMAS names the schema "cmr", which is not in the database. Did you mean "crm"? There are: crm, data, public.',
    ),
  ])
  for (const wrong of ['rowhouse', 'pg_catalog', 'crm,information_schema']) {
    const refused = await run(['migrate'], { environment: { ...environment, ROWHOUSE_SCHEMAS: wrong } })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('ROWHOUSE_SCHEMAS must not name')])
  }
  await using service = await startService({ environment: { DATABASE_URL: uri, ROWHOUSE_SCHEMAS: 'crm' } })
  const token = await setUp(service)
  expect(await columnsOf(service, token, 'people')).toEqual(['id'])
  await psql.unsafe('drop schema crm cascade')
  await until('it is said', () =>
    service.log.some(({ level, msg }) => level === 40 && msg.includes('The schema "crm" of ROWHOUSE_SCHEMAS is no longer')),
  )
  expect(await columnsOf(service, token, 'people')).toEqual(['not_found'])
  expect(await columnsOf(service, token, 'items')).toEqual(['id', 'number', 'note'])
  await psql.unsafe(
    'create schema crm; create table crm.people (id int primary key); grant usage on schema crm to app; grant select on crm.people to app',
  )
  await until('it is back', async () => (await columnsOf(service, token, 'people'))[0] === 'id')
  expect(service.log.filter(({ msg }) => msg.includes('no longer in the database'))).toHaveLength(1)
  await psql.end()
})

test('a database that restarts is watched again', async () => {
  await using instances = await startTwo()
  const { one, server, uri } = instances
  const token = await setUp(one)
  const psql = psqlOn(server, uri)
  await psql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rowhouse'`
  await psql.unsafe('create table data.later (id int primary key); grant select on data.later to app')
  await until('the table is there', async () => (await columnsOf(one, token, 'later'))[0] === 'id')
  await psql.unsafe(`alter table data.later add b int; notify rowhouse, 'reload'`)
  await until('it is heard', async () => (await columnsOf(one, token, 'later')).includes('b'))
  await psql.end()
})
