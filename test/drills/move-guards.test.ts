import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { moveDatabase, openSessions, planMove } from '../../src/backup/move/move'
import { takeMoveLock } from '../../src/backup/move/session'
import { connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
import { readUri } from '../../src/ops/settings/connection-uri'
import { call, newFolder, run, startService } from '../support/executable'
import { killedAt } from '../support/killed-at'
import { moveTaskOf } from '../support/moves'
import { startPostgres } from '../support/postgres'
import { until } from '../support/processes'
import { startTeamPostgres } from '../support/team-postgres'
import { startUsed, usedDataDir } from '../support/used-data'

const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())

const inside = (dataDir: string) => ({ environment: { ROWHOUSE_DATA_DIR: dataDir } })
const isWritten = async ({ url, token }: { url: string; token: string }) =>
  (await call(`${url}/api/v1/tables/items/records`, { token, body: { note: 'x' } })).status === 201

const listens = (log: readonly { msg: string }[]) => log.filter(({ msg }) => msg.startsWith('listening on ')).length

test('a dry run back leaves the old database what it is, so that --undo still finds it', async () => {
  const uri = await server.createDatabase('dry_back')
  const { dataDir, token } = await usedDataDir()
  expect((await run(['move', `--to=${uri}`], inside(dataDir))).code).toBe(0)
  const clusters = () => readdirSync(dataDir).filter((name) => name.startsWith('postgres'))
  const before = clusters()
  const dry = await run(['move', '--to=embedded', '--dry-run'], inside(dataDir))
  expect({ code: dry.code, stderr: dry.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('to the embedded database (PostgreSQL 18'),
  })
  expect(clusters()).toEqual(before)
  const undone = await run(['move', '--undo'], inside(dataDir))
  expect({ code: undone.code, stderr: undone.stderr }).toEqual({ code: 0, stderr: '' })
  await using service = await startService({ dataDir })
  expect(await isWritten({ url: service.url, token })).toBe(true)
})

test('a move back that is refused leaves the old database what it is, so that --undo still finds it', async () => {
  const uri = await server.createDatabase('refused_back')
  const { dataDir } = await usedDataDir()
  expect((await run(['move', `--to=${uri}`], inside(dataDir))).code).toBe(0)
  const socketPath = join(server.socketDir, `.s.PGSQL.${server.port}`)
  const admin = connectDirectly({ socketPath, user: 'rowhouse', database: 'refused_back' }, readConfig({}))
  await admin`alter table data.items owner to rowhouse`
  await admin.end()
  const clusters = () => readdirSync(dataDir).filter((name) => name.startsWith('postgres'))
  const before = clusters()
  const refused = await run(['move', '--to=embedded'], inside(dataDir))
  expect({ code: refused.code, stderr: refused.stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('GRANT SELECT, UPDATE, TRIGGER'),
  })
  expect(clusters()).toEqual(before)
  expect(await run(['move', '--undo'], inside(dataDir))).toMatchObject({ code: 0, stderr: '' })
})

test('a dry run leaves a data directory that never had a database as it was', async () => {
  const environment = { DATABASE_URL: await server.createDatabase('dry_first') }
  const service = await startService({ environment })
  await service.stop()
  const { dataDir } = service
  const before = readdirSync(dataDir).sort()
  const dry = await run(['move', '--to=embedded', '--dry-run'], { environment: { ...environment, ROWHOUSE_DATA_DIR: dataDir } })
  expect({ code: dry.code, stderr: dry.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('to the embedded database (PostgreSQL 18'),
  })
  expect(readdirSync(dataDir).sort()).toEqual(before)
})

test('no other command changes what one that is at work moves', async () => {
  const uri = await server.createDatabase('held')
  await using service = await startUsed()
  const { dataDir } = service
  const target = { socketPath: join(dataDir, 'run/.s.PGSQL.5432'), user: 'rowhouse', database: 'rowhouse' }
  const holder = connectDirectly(target, readConfig({}))
  await takeMoveLock(holder)
  for (const args of [[`--to=${uri}`], ['--cancel'], ['--undo']]) {
    const refused = await run(['move', '--quiet', ...args], inside(dataDir))
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^rowhouse: Another "rowhouse move" is running on this database \(PostgreSQL process \d+, connected since .+ UTC\)\. Nothing was changed\.\n$/,
      ),
    })
  }
  await holder.end()
  const moved = await run(['move', `--to=${uri}`], inside(dataDir))
  expect({ code: moved.code, stderr: moved.stderr }).toMatchObject({ code: 0 })
})

test('a server of PostgreSQL 15 takes the database, and gives it back', async () => {
  await using team = await startTeamPostgres()
  const uri = await team.createDatabase('oldest')
  const { dataDir, token } = await usedDataDir()
  const there = await run(['move', `--to=${uri}`], inside(dataDir))
  expect({ code: there.code, stderr: there.stderr }).toMatchObject({ code: 0 })
  expect(there.stderr).toContain('database oldest (PostgreSQL 15')
  {
    await using service = await startService({ dataDir })
    expect(await isWritten({ url: service.url, token })).toBe(true)
  }
  const back = await run(['move', '--to=embedded'], inside(dataDir))
  expect({ code: back.code, stderr: back.stderr }).toMatchObject({ code: 0 })
  await using service = await startService({ dataDir })
  expect(await isWritten({ url: service.url, token })).toBe(true)
  const { records } = (await (await call(`${service.url}/api/v1/tables/items/records`, { token })).json()) as { records: unknown[] }
  expect(records).toHaveLength(2)
})

test('killed on either side of the switch, the same command ends it, or copies anew', async () => {
  const uri = await server.createDatabase('at_the_switch')
  await using service = await startUsed()
  const { dataDir } = service
  const there = postgres(uri, { max: 1, onnotice: () => {} })
  await killedAt('Comparing the rows', 'move', { dataDir, uri })
  // As it is between the commit of the new database and that of the old one.
  await there`update rowhouse_move.state set stage = 'ready'`
  expect(await isWritten(service)).toBe(true)
  const socket = { socketPath: join(dataDir, 'run/.s.PGSQL.5432'), user: 'rowhouse', database: 'rowhouse' }
  const task = moveTaskOf(socket, { uri: readUri(uri) })
  const sessions = await openSessions(task)
  const plan = await planMove(task, sessions)
  expect(plan.isBegun).toBe(false)
  expect((await moveDatabase(task, sessions, plan)).rows).toBeGreaterThan(0)
  await sessions.end()
  // And behind both.
  expect(await isWritten(service)).toBe(false)
  const half = await run([], { environment: { ROWHOUSE_DATA_DIR: join(newFolder(), 'data'), PORT: '0', DATABASE_URL: uri } })
  expect(half.stderr).toContain('This database is the unfinished copy of the embedded database.')
  const ended = await run(['move', `--to=${uri}`], inside(dataDir))
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('The foreign keys are checked.') })
  await until('the service has opened the new database', () => listens(service.log) === 2)
  expect(await isWritten(service)).toBe(true)
  expect(await there`select from rowhouse.audit where kind = 'database_moved'`).toHaveLength(1)
  await there.end()
})
