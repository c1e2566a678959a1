import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { readUri } from '../../src/ops/settings/connection-uri'
import { ask, launch, openFolder, scratchIn } from '../support/backups'
import { newFolder, run, startService } from '../support/executable'
import { login, startPostgres, uriOf } from '../support/postgres'
import { findInitdb, isAlive, processOf, until } from '../support/processes'
import { type Hold, startProxy } from '../support/proxy'
import { settled } from '../support/rejection'
import { openTransactions, usedDatabase } from '../support/team-database'
import { startTeamPostgres, type TeamPostgres } from '../support/team-postgres'

/** More than the sockets hold, so that a connection that is held keeps its copy waiting. */
const big = `create table shop.big (id int primary key, filler text);
  insert into shop.big select i, (select string_agg(md5(i::text || j), '') from generate_series(1, 32) j) from generate_series(1, 40000) i;
  create table shop.small (a int); insert into shop.small values (1)`

type Big = AsyncDisposable & {
  team: TeamPostgres
  admin: Sql
  environment: Record<string, string>
  /** Starts a backup, and holds it while it copies the rows of `shop.big`. */
  backUpToBig: (file: string) => Promise<{ backup: ReturnType<typeof launch>; copy: Hold }>
}

async function startBig(): Promise<Big> {
  const team = await startTeamPostgres()
  const { uri, admin } = await usedDatabase(team, 'team')
  const environment = { DATABASE_URL: uri, ROWHOUSE_SCHEMAS: 'shop', ROWHOUSE_DATA_DIR: openFolder() }
  expect((await run(['migrate'], { environment })).code).toBe(0)
  await admin.unsafe(`set role ${login.user}`)
  await admin.unsafe(big)
  const proxy = await startProxy({ uri: readUri(uri) })
  const backUpToBig = async (file: string) => {
    const copy = proxy.holdAt('copy shop.big')
    const held = { ...environment, DATABASE_URL: uriOf(proxy.port, 'team') }
    const backup = launch(['backup', file], environment.ROWHOUSE_DATA_DIR, held)
    await reach(copy, backup)
    return { backup, copy }
  }
  const stop = async () => {
    await proxy[Symbol.asyncDispose]()
    await team[Symbol.asyncDispose]()
  }
  return { team, admin, environment, backUpToBig, [Symbol.asyncDispose]: stop }
}

async function reach({ reached }: Hold, { ended, errors }: ReturnType<typeof launch>) {
  const early = ended.then(async (code) => {
    throw new Error(`It ended with ${code} before:\n${await errors}`)
  })
  early.catch(() => {})
  await Promise.race([reached, early])
}

const newDataDir = () => join(newFolder(), 'data')

describe('a backup of a team’s database', () => {
  test('holds off nobody but who changes the table that is just copied, and notices what was changed meanwhile', async () => {
    await using started = await startBig()
    const { admin, environment } = started
    const file = join(openFolder(), 'b')
    const { backup, copy } = await started.backUpToBig(file)
    await admin.unsafe(`set lock_timeout = '2s'`)
    await admin.unsafe(`insert into shop.big values (-1, 'meanwhile'); update shop.big set filler = 'x' where id = 1`)
    expect(await settled(admin.unsafe('truncate shop.big'))).toThrow('lock timeout')
    await admin.unsafe('alter table shop.small alter column a type bigint')
    copy.goOn()
    expect(await backup.ended).toBe(1)
    expect(await backup.errors).toContain('The table shop.small was changed while it was backed up')
    expect(existsSync(file)).toBe(false)
    expect((await run(['backup', file], { environment })).code).toBe(0)
  }, 600_000)

  test.each(['SIGINT', 'SIGKILL'] as const)(
    'leaves no session and no file behind %s',
    async (signal) => {
      await using started = await startBig()
      const { admin, environment } = started
      const folder = openFolder()
      const { backup, copy } = await started.backUpToBig(join(folder, 'b'))
      backup.kill(signal)
      copy.goOn()
      expect(await backup.ended).toBe(signal === 'SIGINT' ? 1 : 'SIGKILL')
      await until('the sessions have ended', async () => (await openTransactions(admin)).length === 0)
      expect(readdirSync(folder)).toEqual(signal === 'SIGINT' ? [] : ['b.part'])
      expect((await run(['backup', join(folder, 'b')], { environment })).code).toBe(0)
      expect(readdirSync(folder)).toEqual(['b'])
      expect(scratchIn(environment.ROWHOUSE_DATA_DIR!)).toEqual([])
    },
    600_000,
  )

  test('killed while it is tried out leaves nothing behind the next one', async () => {
    await using started = await startBig()
    const { environment } = started
    const folder = openFolder()
    const dataDir = environment.ROWHOUSE_DATA_DIR!
    const backup = launch(['backup', join(folder, 'b')], dataDir, environment)
    await until('it is tried out', () => scratchIn(dataDir).length > 0)
    backup.kill('SIGKILL')
    await backup.ended
    expect((await run(['backup', join(folder, 'b')], { environment })).code).toBe(0)
    expect([readdirSync(folder), scratchIn(dataDir)]).toEqual([['b'], []])
  }, 600_000)
})

describe('a restore that is killed', () => {
  test.each([
    ['while it copies rows', 'copy shop.big'],
    ['behind indexes and constraints', 'analyze '],
  ])(
    '%s leaves an empty database that no service starts with, and is begun again',
    async (_when, words) => {
      await using started = await startBig()
      const { team, environment } = started
      const file = join(openFolder(), 'b')
      expect((await run(['backup', file], { environment })).code).toBe(0)
      const uri = await team.createDatabase('other')
      const target = { DATABASE_URL: uri, ROWHOUSE_SCHEMAS: 'shop' }
      const admin = team.connect('other')
      await using proxy = await startProxy({ uri: readUri(uri) })
      const statement = proxy.holdAt(words)
      const dataDir = newDataDir()
      const restore = launch(['restore', file], dataDir, { ...target, DATABASE_URL: uriOf(proxy.port, 'other') })
      await reach(statement, restore)
      restore.kill('SIGKILL')
      expect(await restore.ended).toBe('SIGKILL')
      statement.goOn()
      await until('the transaction has ended', async () => (await openTransactions(admin)).length === 0)
      const schemas = await admin`select from pg_namespace where nspname in ('rowhouse', 'data', 'shop')`
      expect(schemas.length).toBe(0)
      const refused = await run(['serve'], { environment: { ...target, ROWHOUSE_DATA_DIR: dataDir, PORT: '0' } })
      expect([refused.code, refused.stderr + refused.stdout]).toEqual([1, expect.stringContaining('was not finished')])
      const restored = await run(['restore', file], { environment: { ...target, ROWHOUSE_DATA_DIR: dataDir } })
      expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('Restored into other')])
      const [row] = await admin`select count(*)::int as count from shop.big`
      expect(row!.count).toBe(40_000)
      await using _service = await startService({ dataDir, environment: target })
    },
    600_000,
  )

  test('leaves a data directory that no service starts with, and is begun again', async () => {
    await using started = await startBig()
    const { environment } = started
    const file = join(openFolder(), 'b')
    expect((await run(['backup', file], { environment })).code).toBe(0)
    const dataDir = newDataDir()
    const restore = launch(['restore', file], dataDir)
    await until('it has begun', () => existsSync(join(dataDir, 'restoring/postgres/postmaster.pid')))
    restore.kill('SIGKILL')
    await restore.ended
    const refused = await run(['serve'], { environment: { ROWHOUSE_DATA_DIR: dataDir, PORT: '0' } })
    expect([refused.code, refused.stderr + refused.stdout]).toEqual([1, expect.stringContaining('was not finished')])
    expect((await run(['restore', file], { environment: { ROWHOUSE_DATA_DIR: dataDir } })).code).toBe(0)
    await using _service = await startService({ dataDir, environment: { ROWHOUSE_SCHEMAS: 'shop' } })
  }, 600_000)
})

if (process.platform === 'linux') {
  test('a restore that is killed while initdb runs is begun again, also while that goes on', async () => {
    await using server = await startPostgres()
    const environment = { DATABASE_URL: await server.createDatabase('team'), ROWHOUSE_DATA_DIR: openFolder() }
    const file = join(openFolder(), 'b')
    for (const words of [['migrate'], ['backup', file]]) expect((await run(words, { environment })).code).toBe(0)
    const dataDir = newDataDir()
    const restore = launch(['restore', file], dataDir)
    const restoring = join(dataDir, 'restoring')
    await until('initdb has begun', () => findInitdb(restoring).length > 0)
    const { pid } = findInitdb(restoring)[0]!
    process.kill(pid, 'SIGSTOP')
    restore.kill('SIGKILL')
    await restore.ended
    expect((await run(['restore', file], { environment: { ROWHOUSE_DATA_DIR: dataDir } })).code).toBe(0)
    expect(isAlive(pid)).toBe(false)
    await using _service = await startService({ dataDir })
  }, 600_000)
}

test('a restore that is interrupted while the transaction ends does not say that nothing is there', async () => {
  await using started = await startBig()
  const { team, environment } = started
  const file = join(openFolder(), 'b')
  expect((await run(['backup', file], { environment })).code).toBe(0)
  const target = await team.createDatabase('other')
  const admin = team.connect('other')
  await admin.unsafe(`set synchronous_commit = local; alter database other set synchronous_commit = on`)
  await admin.unsafe(`alter system set synchronous_standby_names = 'nobody'`)
  await admin.unsafe('select pg_reload_conf()')
  const restore = launch(['restore', file], newDataDir(), { DATABASE_URL: target })
  await until('the commit waits', async () => (await admin`select from pg_stat_activity where wait_event = 'SyncRep'`).length > 0)
  restore.kill('SIGINT')
  const [code, errors] = [await restore.ended, await restore.errors]
  // The server does not stop while a commit waits.
  await admin.unsafe('alter system reset synchronous_standby_names')
  await admin.unsafe('select pg_reload_conf()')
  expect([code, errors]).toEqual([1, expect.stringContaining('Start the service: it says whether the restore is complete.')])
  expect(errors).not.toContain('nothing was left behind')
  await until('it is there', async () => (await admin`select to_regclass('shop.big') is not null as found`)[0]!.found)
}, 600_000)

describe('what cannot be whole is refused, and said', () => {
  test('a role that may not read everything, or that policies hide rows from', async () => {
    await using started = await startBig()
    const { admin, environment, team } = started
    await admin.unsafe('reset role')
    await admin.unsafe(
      `create table shop.closed (a int); create sequence shop.closed_numbers; revoke all on shop.closed from ${login.user}`,
    )
    const file = join(openFolder(), 'b')
    const refused = await run(['backup', file], { environment })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/The role app may not read everything .*may not read shop\.closed, may not read shop\.closed_numbers/)
    expect(refused.stderr).toContain(`GRANT SELECT ON TABLE shop.closed TO ${login.user};`)
    await admin.unsafe(`drop table shop.closed; drop sequence shop.closed_numbers; alter table shop.guarded force row level security`)
    const hidden = await run(['backup', file], { environment })
    expect([hidden.code, hidden.stderr]).toEqual([1, expect.stringContaining('sees only the rows of shop.guarded that its policies show')])
    await admin.unsafe(`alter role ${login.user} bypassrls`)
    expect((await run(['backup', file], { environment })).code).toBe(0)
    await admin.unsafe(
      `create table public.elsewhere (a int primary key); alter table shop.small add foreign key (a) references public.elsewhere not valid`,
    )
    const outside = await run(['backup', join(openFolder(), 'b')], { environment })
    expect([outside.code, outside.stderr]).toEqual([1, expect.stringContaining('needs public.elsewhere')])
    // Nothing of this machine's is written over.
    const target = await team.createDatabase('other')
    const other = team.connect('other')
    await other.unsafe('create schema shop; create table shop.theirs (a int)')
    const taken = await run(['restore', file], { environment: { DATABASE_URL: target, ROWHOUSE_DATA_DIR: newDataDir() } })
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('The database is not empty (shop.theirs)')])
    expect((await other`select to_regclass('shop.theirs') is not null as there, to_regnamespace('rowhouse') is null as none`)[0]).toEqual({
      there: true,
      none: true,
    })
    for (const flags of [['--to=latest'], ['--to=2026-01-01']]) {
      const given = { environment: { DATABASE_URL: target, ROWHOUSE_DATA_DIR: newDataDir(), ROWHOUSE_WAL_ARCHIVE: openFolder() } }
      expect((await run(['restore', file, ...flags], given)).stderr).toContain('pgBackRest, CloudNativePG or your provider')
    }
  }, 600_000)

  test('an extension that is not packed: the backup is written, read back, and not called proven', async () => {
    await using started = await startBig()
    const { admin, environment, team } = started
    await admin.unsafe('reset role')
    await admin.unsafe('create extension old_snapshot; create view shop.snapshots as select * from pg_old_snapshot_time_mapping()')
    await admin.unsafe(`grant select on shop.snapshots to ${login.user}`)
    const folder = openFolder()
    const made = await run(['backup', join(folder, 'b')], { environment })
    expect([made.code, made.stderr]).toEqual([3, expect.stringContaining('not restored')])
    expect(made.stderr).toContain('does not have the extension old_snapshot')
    expect(readdirSync(folder)).toEqual(['b.unproven'])
    const [row] = await admin`select state, problem from rowhouse.backups`
    expect(row).toEqual({ state: 'unproven', problem: expect.stringContaining('old_snapshot') })
    const inside = await run(['restore', join(folder, 'b.unproven')], { environment: { ROWHOUSE_DATA_DIR: newDataDir() } })
    expect([inside.code, inside.stderr]).toEqual([1, expect.stringContaining('old_snapshot')])
    const target = await team.createDatabase('other')
    await team.connect('other').unsafe('create extension old_snapshot')
    const there = await run(['restore', join(folder, 'b.unproven')], {
      environment: { DATABASE_URL: target, ROWHOUSE_DATA_DIR: newDataDir() },
    })
    expect([there.code, there.stdout]).toEqual([0, expect.stringContaining('Restored into other')])
  }, 600_000)
})

test('a restore whose PostgreSQL is killed while it stops is none, since unlogged tables would be empty; the next one has their rows', async () => {
  await using started = await startBig()
  const { environment } = started
  const file = join(openFolder(), 'b')
  expect((await run(['backup', file], { environment })).code).toBe(0)
  const dataDir = newDataDir()
  const pidFile = () => {
    const path = join(dataDir, 'restoring/postgres/postmaster.pid')
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  }
  const restore = launch(['restore', file], dataDir)
  await until('it loads', () => pidFile()[7]?.trim() === 'ready')
  const pid = Number(pidFile()[0])
  // A shutdown waits for it, before it writes down that all is on the disk.
  const writer = processOf(pid, 'background writer')!
  process.kill(writer, 'SIGSTOP')
  await until('it stops', () => pidFile()[7]?.trim() === 'stopping')
  for (const each of [pid, writer]) process.kill(each, 'SIGKILL')
  expect([await restore.ended, await restore.errors]).toEqual([1, expect.stringContaining('PostgreSQL ended meanwhile')])
  expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([])
  expect((await run(['restore', file], { environment: { ROWHOUSE_DATA_DIR: dataDir } })).code).toBe(0)
  await using service = await startService({ dataDir })
  expect(await ask(service, 'select a from shop.volatile')).toEqual([{ a: 1 }])
}, 600_000)
