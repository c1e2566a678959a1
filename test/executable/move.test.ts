import { afterAll, expect, test } from 'bun:test'
import { chownSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import type { BackupOverview } from '../../src/backup/model'
import { databaseFile, removeDatabaseFile, writeDatabaseFile } from '../../src/db/embedded/database-file'
import { lockDataDir } from '../../src/db/embedded/lock'
import { findPlace } from '../../src/db/embedded/place'
import { readConfig } from '../../src/ops/settings/config'
import { ask, openFolder } from '../support/backups'
import { isDrilling } from '../support/drill'
import { call, newFolder, run, startService } from '../support/executable'
import { killedAt } from '../support/killed-at'
import { startPostgres, uriOf } from '../support/postgres'
import { until } from '../support/processes'
import { settled } from '../support/rejection'
import { startUsed, usedDataDir } from '../support/used-data'
import { startWriteLoad, storedNumbers } from '../support/write-load'

const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())

const inside = (dataDir: string, more: Record<string, string> = {}) => ({ environment: { ROWHOUSE_DATA_DIR: dataDir, ...more } })
const serve = (dataDir: string, more: Record<string, string> = {}) => run([], inside(dataDir, { PORT: '0', ...more }))
const isWritten = async ({ url, token }: { url: string; token: string }) =>
  (await call(`${url}/api/v1/tables/items/records`, { token, body: { note: 'x' } })).status === 201
const listens = ({ log }: { log: { msg: string }[] }) => log.filter(({ msg }) => msg.startsWith('listening on ')).length

test('under load to a server of the team’s and back: every acknowledged write is there, and the service goes on by itself', async () => {
  const uri = await server.createDatabase('to_and_back')
  await using service = await startUsed()
  const { dataDir, url, token } = service
  const load = startWriteLoad(url, token, 4)
  await until('there are records', () => load.acknowledged.length > 300)

  const checked = await run(['move', `--to=${uri}`, '--dry-run'], inside(dataDir))
  expect({ code: checked.code, stderr: checked.stderr }).toMatchObject({ code: 0 })
  expect(checked.stderr).toContain(`Moves the embedded database to 127.0.0.1:${server.port}, database to_and_back (PostgreSQL 18`)
  expect(await ask(service, `select nspname from pg_namespace where nspname = 'rowhouse_move'`)).toEqual([])

  const moved = await run(['move'], inside(dataDir, { ROWHOUSE_MOVE_TO: uri }))
  expect({ code: moved.code, stderr: moved.stderr }).toMatchObject({ code: 0 })
  expect(moved.stderr).toContain('The foreign keys are checked.')
  expect(moved.stderr).not.toContain(encodeURIComponent('p@ss/word?'))
  console.info(/The switch held writers for [\d.]+ s/.exec(moved.stderr)?.[0])
  await until('the service has opened the new database', () => listens(service) === 2)
  const count = load.acknowledged.length
  await until('it is written to', () => load.acknowledged.length > count + 100)
  await load.stop()
  expect(load.broken).toBe(0)
  expect(load.refused.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)).toEqual([])
  const stored = await storedNumbers(url, token)
  expect(load.acknowledged.filter((number) => !stored.has(number))).toEqual([])
  const there = postgres(uri, { max: 1, onnotice: () => {} })
  expect((await there`select count(*)::int as rows from data.items`)[0]).toEqual({ rows: stored.size })
  expect(await there`select from pg_namespace where nspname = 'rowhouse_move'`).toHaveLength(0)
  expect(await there`select from rowhouse.audit where kind = 'database_moved' and credential = 'command'`).toHaveLength(1)
  expect(statSync(join(dataDir, 'database-url')).mode & 0o777).toBe(0o600)

  const again = startWriteLoad(url, token, 4, load.sent)
  await until('there are more records', () => again.acknowledged.length > 100)
  const back = await run(['move', '--to=embedded', '--quiet'], inside(dataDir))
  expect(back).toEqual({ code: 0, stdout: '', stderr: '' })
  await until('the service has opened the embedded database', () => listens(service) === 3)
  const before = again.acknowledged.length
  await until('it is written to', () => again.acknowledged.length > before + 100)
  await again.stop()
  const all = await storedNumbers(url, token)
  expect([...load.acknowledged, ...again.acknowledged].filter((number) => !all.has(number))).toEqual([])
  expect(existsSync(join(dataDir, 'database-url'))).toBe(false)
  expect(await ask(service, `select current_setting('listen_addresses') as a`)).toEqual([{ a: '' }])
  // The first one, which was moved away, is kept.
  expect(
    readdirSync(dataDir)
      .filter((name) => name.startsWith('postgres'))
      .sort(),
  ).toEqual(['postgres', expect.stringMatching(/^postgres-moved-\d{14}$/)])
  expect(await settled(Promise.resolve(there`delete from data.items`))).toThrow('This database was moved to the embedded database.')
  await there.end()
})

test('what was moved away does not serve; --undo makes it usable again', async () => {
  const uri = await server.createDatabase('undone')
  const { dataDir, token } = await usedDataDir()
  // Without a service the command starts the database by itself.
  const moved = await run(['move', `--to=${uri}`], inside(dataDir))
  expect({ code: moved.code, stderr: moved.stderr }).toMatchObject({ code: 0 })
  {
    await using service = await startService({ dataDir, environment: { ROWHOUSE_BACKUP_TO: openFolder() } })
    expect(service.log.map(({ msg }) => msg)).toContain(
      'The database was moved: its address is in the file database-url of the data directory.',
    )
    expect(await isWritten({ url: service.url, token })).toBe(true)
    const backups = `${service.url}/api/v1/backups`
    const listed = () => call(backups, { token }).then((answer) => answer.json() as Promise<BackupOverview>)
    expect((await call(backups, { token, method: 'POST' })).status).toBe(202)
    await until('it is backed up', async () => (await listed()).backups[0]?.state === 'proven')
    const users = await run(['users', 'list'], inside(dataDir))
    expect(users.stdout).toContain('ada@example.org')
    const twice = await run(['move', `--to=${uri}`], inside(dataDir))
    expect({ code: twice.code, stderr: twice.stderr }).toEqual({
      code: 1,
      stderr: 'rowhouse: The database has already been moved there.\n',
    })
  }
  await Bun.file(join(dataDir, 'database-url')).delete()
  const refused = await serve(dataDir)
  expect({ code: refused.code, stderr: refused.stderr }).toEqual({
    code: 1,
    stderr: `rowhouse: This database was moved to 127.0.0.1:${server.port}, database undone and no longer accepts changes. Use that one (DATABASE_URL), or make this one usable again, without what was written there since: rowhouse move --undo.\n`,
  })
  // The same command ends what was not ended.
  const ended = await run(['move', `--to=${uri}`], inside(dataDir))
  expect(ended.code).toBe(0)
  expect(existsSync(join(dataDir, 'database-url'))).toBe(true)
  const undone = await run(['move', '--undo'], inside(dataDir))
  expect(undone.stdout).toBe(
    `This database is in use again. What was written to 127.0.0.1:${server.port}, database undone since it was moved there is not in it.\n`,
  )
  await using service = await startService({ dataDir })
  expect(await isWritten({ url: service.url, token })).toBe(true)
  expect((await run(['move', '--undo'], inside(dataDir))).stderr).toBe('rowhouse: This database was not moved.\n')
})

const steps = isDrilling ? ['Making the tables', 'Copying the rows', 'Building indexes', 'Comparing the rows', 'Switching'] : ['Switching']

test.each(steps)('killed at "%s" it leaves the service at work and the copy unusable, and goes on', async (step) => {
  const name = `killed_${step.toLowerCase().replaceAll(/\W/g, '_')}`
  const uri = await server.createDatabase(name)
  await using service = await startUsed()
  const { dataDir } = service
  expect(await isWritten(service)).toBe(true)
  await killedAt(step, 'move', { dataDir, uri })
  expect(await isWritten(service)).toBe(true)
  const half = await serve(join(newFolder(), 'data'), { DATABASE_URL: uri })
  expect({ code: half.code, stderr: half.stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^rowhouse: This database is the unfinished copy of the embedded database\. Run rowhouse move again/),
  })
  const done = await run(['move', `--to=${uri}`], inside(dataDir))
  expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 })
  expect(done.stderr).toContain('Continues moving the embedded database')
  await until('the service has opened the new database', () => listens(service) === 2)
  expect(await isWritten(service)).toBe(true)
})

test('a cancelled move leaves nothing on either side', async () => {
  const uri = await server.createDatabase('cancelled')
  await using service = await startUsed()
  await killedAt('Comparing the rows', 'move', { dataDir: service.dataDir, uri })
  const done = await run(['move', '--cancel', `--to=${uri}`], inside(service.dataDir))
  expect(done).toEqual({ code: 0, stdout: 'The move is cancelled.\n', stderr: '' })
  expect(
    await ask(
      service,
      `select (select count(*)::int from pg_trigger where tgname ~ 'rowhouse_move') as t, to_regnamespace('rowhouse_move') as s`,
    ),
  ).toEqual([{ t: 0, s: null }])
  const there = postgres(uri, { max: 1 })
  expect(await there`select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'`).toEqual([
    { nspname: 'public' },
  ] as never)
  await there.end()
  expect((await run(['move', '--cancel'], inside(service.dataDir))).stdout).toBe('No move is under way.\n')
})

test('with DATABASE_URL in its settings the service answers reads until it is started on the embedded database', async () => {
  const uri = await server.createDatabase('from_settings')
  const { dataDir, token } = await usedDataDir()
  expect((await run(['move', `--to=${uri}`], inside(dataDir))).code).toBe(0)
  await Bun.file(join(dataDir, 'database-url')).delete()
  {
    await using service = await startService({ dataDir, environment: { DATABASE_URL: uri } })
    expect(await isWritten({ url: service.url, token })).toBe(true)
    const moved = await run(['move', '--to=embedded'], inside(dataDir, { DATABASE_URL: uri }))
    expect({ code: moved.code, stderr: moved.stderr }).toMatchObject({ code: 0 })
    expect(moved.stderr).toContain('Now stop the service, take DATABASE_URL (and DATABASE_DIRECT_URL) out of its settings, and start it.')
    const written = await call(`${service.url}/api/v1/tables/items/records`, { token, body: { note: 'late' } })
    expect([written.status, written.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await call(`${service.url}/api/v1/tables/items/records`, { token })).status).toBe(200)
  }
  const refused = await serve(dataDir, { DATABASE_URL: uri })
  expect(refused.stderr).toContain('This database was moved to the embedded database and no longer accepts changes.')
  await using service = await startService({ dataDir })
  const { records } = (await (await call(`${service.url}/api/v1/tables/items/records`, { token })).json()) as { records: unknown[] }
  expect(records).toHaveLength(1)
})

test('a service that goes back to the embedded database waits for a command that has the data directory', async () => {
  const { dataDir, token } = await usedDataDir()
  const uri = await server.createDatabase('away')
  for (const words of [`--to=${uri}`, '--undo']) expect((await run(['move', words], inside(dataDir))).code).toBe(0)
  const place = findPlace(readConfig({ ROWHOUSE_DATA_DIR: dataDir }))
  writeDatabaseFile(place, uri)
  if (place.owner) chownSync(databaseFile(place), place.owner.uid, place.owner.gid)
  await using service = await startService({ dataDir })
  const lock = await lockDataDir(place)
  removeDatabaseFile(place)
  await until('it waits', () => service.log.some(({ msg }) => msg.startsWith('Waiting for the command that moves the database (process ')))
  const paths = ['/healthz', '/api/v1/healthz', '/version', '/readyz', '/api/v1/tables']
  const answers = await Promise.all(paths.map((path) => call(service.url + path, { token })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 503, 503])
  expect(await answers[0]!.json()).toEqual({ status: 'ok' })
  lock!.release()
  await until('the service has opened the embedded database', () => listens(service) === 2)
  expect(await isWritten({ url: service.url, token })).toBe(true)
})

test('called wrongly it says how it is meant, without the password', async () => {
  const { dataDir } = await usedDataDir()
  const refuse = async (...args: string[]) => (await run(['move', ...args], inside(dataDir))).stderr
  expect(await run(['move'], inside(dataDir))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Usage: rowhouse move --to=postgres://'),
  })
  const wrong = 'mysql://a:secret@b/c'
  const calls: [string, string[], Record<string, string>][] = [
    ['--to', [`--to=${wrong}`], {}],
    ['ROWHOUSE_MOVE_TO', [], { ROWHOUSE_MOVE_TO: wrong }],
  ]
  for (const [name, args, more] of calls) {
    expect(await run(['move', ...args], inside(dataDir, more))).toEqual({
      code: 2,
      stdout: '',
      stderr: `rowhouse: ${name} must be a PostgreSQL connection URI: postgres://user:password@host:port/database.\nrowhouse --help lists commands and settings.\n`,
    })
  }
  expect(await refuse('--to=embedded')).toBe('rowhouse: The database is embedded already.\n')
  expect(await refuse(`--to=${uriOf(server.port, 'nowhere')}`)).toContain(
    'database "nowhere" does not exist. Check user, password and name in --to.',
  )
})
