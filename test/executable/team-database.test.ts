import { expect, test } from 'bun:test'
import { join } from 'node:path'
import postgres from 'postgres'
import { json } from '../support/app'
import { call, newFolder, run, type Service, setupCodeOf, startService } from '../support/executable'
import { freePort } from '../support/ports'
import { certificateAuthority, login, startPostgres, uriOf } from '../support/postgres'
import { until } from '../support/processes'
import { administrator, cookieOf, setUp, usedDataDir } from '../support/used-data'

const startOn = (DATABASE_URL: string, more: Record<string, string> = {}): Promise<Service> =>
  startService({ environment: { DATABASE_URL, ...more } })

test('two instances started at once on an empty database are one service', async () => {
  await using server = await startPostgres()
  const uri = await server.createDatabase('shared')
  await using instances = await both(startOn(uri), startOn(uri))
  const [one, two] = instances.services
  const [code, otherCode] = [setupCodeOf(one.dataDir), setupCodeOf(two.dataDir)]
  expect(code).not.toBe(otherCode)
  const body = { ...administrator, code }
  const done = await call(`${two.url}/auth/setup`, { body })
  expect(done.status).toBe(201)
  expect((await call(`${one.url}/auth/setup`, { body: { ...body, code: otherCode } })).status).toBe(409)
  const cookie = cookieOf(done)
  const { token, id } = await json(call(`${one.url}/auth/tokens`, { cookie, body: { name: 'both' } }))
  const things = { name: 'things', columns: [{ name: 'word', type: 'text' }] }
  expect((await call(`${one.url}/api/v1/tables`, { token, body: things })).status).toBe(201)
  expect((await call(`${two.url}/api/v1/tables/things/records`, { token, body: { word: 'here' } })).status).toBe(201)
  expect(await json(call(`${one.url}/api/v1/tables/things/records/1`, { token }))).toEqual({ id: 1, word: 'here' })
  for (let time = 0; time < 20; time++) await call(`${two.url}/auth/me`, { token })
  expect((await call(`${one.url}/auth/tokens/${id}`, { cookie, method: 'DELETE' })).status).toBe(204)
  expect((await call(`${two.url}/auth/me`, { token })).status).toBe(401)
  expect((await call(`${two.url}/auth/logout`, { cookie, method: 'POST' })).status).toBe(204)
  expect((await call(`${one.url}/auth/me`, { cookie })).status).toBe(401)
})

async function both(first: Promise<Service>, second: Promise<Service>) {
  const services = await Promise.all([first, second])
  return {
    services,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(services.map((service) => service.stop()))
    },
  }
}

test('over a socket, in both spellings', async () => {
  await using server = await startPostgres()
  await server.createDatabase('local')
  const { port, socketDir } = server
  await using one = await startOn(`postgres://${login.user}@/local?host=${socketDir}&port=${port}`)
  const token = await setUp(one)
  const DATABASE_URL = `postgres://${login.user}@${encodeURIComponent(socketDir)}:${port}/local`
  await using two = await startService({ dataDir: one.dataDir, environment: { DATABASE_URL } })
  expect((await call(`${two.url}/auth/me`, { token })).status).toBe(200)
})

test('over TLS: what sslmode promises is kept', async () => {
  await using server = await startPostgres({ tls: true })
  await server.createDatabase('safe')
  const at = (host: string, mode: string) => `${uriOf(server.port, 'safe', host)}?sslmode=${mode}`
  const ca = { DATABASE_CA_FILE: certificateAuthority }
  const good: [string, Record<string, string>][] = [
    [at('localhost', 'verify-full'), ca],
    [at('127.0.0.1', 'verify-ca'), ca],
    [`${at('localhost', 'verify-full')}&sslrootcert=${certificateAuthority}`, {}],
    [at('127.0.0.1', 'require'), {}],
    [at('127.0.0.1', 'prefer'), {}],
  ]
  const bad: [string, Record<string, string>][] = [
    [at('127.0.0.1', 'verify-full'), ca],
    [at('localhost', 'verify-full'), {}],
    [at('127.0.0.1', 'disable'), {}],
  ]
  const migrate = (cases: typeof good) =>
    Promise.all(cases.map(([DATABASE_URL, more]) => run(['migrate'], { environment: { DATABASE_URL, ...more } })))
  for (const { code, stderr } of await migrate(good)) expect([code, stderr]).toEqual([0, ''])
  for (const { code, stderr } of await migrate(bad)) {
    expect(code).toBe(1)
    expect(stderr).toMatch(/^rowhouse: .*\n$/)
    expect(stderr).not.toContain(login.password)
  }
})

test('absent at the start: it says what it waits for, answers at once, and becomes ready by itself', async () => {
  const { token } = await usedDataDir()
  const port = freePort()
  const url = `http://127.0.0.1:${freePort()}`
  await using service = await startService({ url, environment: { DATABASE_URL: uriOf(port, 'late') } })
  await until('the service answers', () =>
    call(`${url}/healthz`, { limitMs: 1000 }).then(
      (r) => r.ok,
      () => false,
    ),
  )
  expect((await call(`${url}/readyz`)).status).toBe(503)
  for (const path of ['/auth/setup-status', '/api/v1/tables', '/auth/me']) {
    const response = await call(url + path, { token })
    expect([path, response.status]).toEqual([path, 503])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(response.headers.get('content-type')).toStartWith('application/problem+json')
    expect(await response.json()).toMatchObject({ code: 'unavailable', status: 503 })
  }
  await until('the log says that it waits', () => service.log.some(({ msg }) => msg === 'the database cannot be reached; trying again'))
  expect(JSON.stringify(service.log)).not.toContain(encodeURIComponent(login.password))
  await using _server = await startPostgres({ port, databases: ['late'] })
  await until('the service is ready', async () => (await call(`${url}/readyz`)).status === 200)
  expect(await setUp(service)).toBeString()
})

test('a database made by a newer Rowhouse is refused, and nothing in it is changed', async () => {
  await using server = await startPostgres()
  const uri = await server.createDatabase('newer')
  const environment = { DATABASE_URL: uri }
  expect((await run(['migrate'], { environment })).code).toBe(0)
  const inside = postgres({ path: join(server.socketDir, `.s.PGSQL.${server.port}`), user: 'rowhouse', database: 'newer', max: 1 })
  await inside`insert into rowhouse.migrations (position, name, hash) select max(position) + 1, '9999_from_the_future', 'x' from rowhouse.migrations`
  for (const args of [[], ['migrate'], ['users', 'list']]) {
    const { code, stderr } = await run(args, { environment: { ...environment, PORT: '0', ROWHOUSE_DATA_DIR: newFolder() } })
    expect([args, code]).toEqual([args, 1])
    expect(stderr).toContain('newer Rowhouse')
    expect(stderr).toContain('9999_from_the_future')
  }
  const [last] = await inside`select name from rowhouse.migrations order by position desc limit 1`
  expect(last).toEqual({ name: '9999_from_the_future' })
  await inside.end()
})

test('a command makes nothing in a database that Rowhouse has not used', async () => {
  await using server = await startPostgres()
  const uri = await server.createDatabase('unused')
  const environment = { DATABASE_URL: uri, ROWHOUSE_DATA_DIR: newFolder() }
  const added = () => run(['users', 'add', 'eve@example.org', 'viewer'], { environment, input: 'a long enough one' })
  expect(await added()).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no Rowhouse in this database.') })
  const inside = postgres({ path: join(server.socketDir, `.s.PGSQL.${server.port}`), user: 'rowhouse', database: 'unused', max: 1 })
  expect([...(await inside`select nspname from pg_namespace where nspname in ('rowhouse', 'data')`)]).toEqual([])
  await inside.end()
  expect((await run(['migrate'], { environment })).code).toBe(0)
  expect(await added()).toMatchObject({ code: 0, stderr: '' })
})
