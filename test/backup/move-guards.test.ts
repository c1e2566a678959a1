import { afterAll, describe, expect, test } from 'bun:test'
import type { Sql } from 'postgres'
import { BackupError } from '../../src/backup/errors'
import { retryMove } from '../../src/backup/move/heartbeat'
import { beginJournal } from '../../src/backup/move/journal'
import { openSessions } from '../../src/backup/move/move'
import { emptyTarget } from '../../src/backup/move/requirements'
import { requireOwnSession, takeMoveLock } from '../../src/backup/move/session'
import { readMoveState, refusalOf } from '../../src/backup/move/state'
import { openTarget } from '../../src/backup/move/switch'
import { type ConnectionTarget, connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
import { readUri } from '../../src/ops/settings/connection-uri'
import { move, patient } from '../support/moves'
import { startPgBouncer } from '../support/pgbouncer'
import { startPostgres } from '../support/postgres'
import { startProxy } from '../support/proxy'
import { settled } from '../support/rejection'
import { testServer } from '../support/server'

const config = readConfig({})
const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())
let count = 0

const connect = (target: ConnectionTarget) => connectDirectly(target, config)

async function makeSource(definitions: string): Promise<{ target: ConnectionTarget; sql: Sql }> {
  const target = await (await testServer()).createDatabase()
  const sql = connect(target)
  await sql.unsafe(`create schema team; ${definitions}`)
  return { target, sql }
}

async function makeTarget() {
  const name = `guarded_${count++}`
  const target: ConnectionTarget = { uri: readUri(await server.createDatabase(name)) }
  const admin = connect({ socketPath: `${server.socketDir}/.s.PGSQL.${server.port}`, user: 'rowhouse', database: name })
  return { name, target, admin }
}

const plain = `create table team.plain (id int primary key, b text); insert into team.plain select i, 'old' from generate_series(1, 10) i`

test.each([
  ['switched off and on again', 'disable trigger all', 'enable trigger all'],
  ['switched off', 'disable trigger user', 'replica identity default'],
])('a table whose triggers were %s while it was written to stops the move, and is copied anew', async (_what, before, after) => {
  const { target, sql } = await makeSource(plain)
  const to = await makeTarget()
  let written: Promise<unknown> = Promise.resolve()
  const stopped = move(target, to.target, (step) => {
    if (step !== 'Comparing the rows') return
    written = sql
      .unsafe(`begin; alter table team.plain ${before}; update team.plain set b = 'unnoted'; alter table team.plain ${after}; commit`)
      .simple()
      .execute()
  })
  expect(await settled(stopped)).toThrow(
    /^(The triggers of the move were switched off for some time, on .*team\.plain\.|The rows of team\.plain)/,
  )
  await written
  expect(refusalOf(await readMoveState(sql))).toBeNull()
  expect((await move(target, to.target)).plan.isBegun).toBe(false)
  expect(await to.admin`select distinct b from team.plain`).toEqual([{ b: 'unnoted' }] as never)
  await Promise.all([sql.end(), to.admin.end()])
})

test('triggers that were switched off behind the comparison stop the move, too', async () => {
  const { target, sql } = await makeSource(plain)
  const to = await makeTarget()
  const written: PromiseLike<unknown>[] = []
  const write = (text: string) => written.push(sql.unsafe(text).simple().execute())
  const stopped = move(target, to.target, (step) => {
    // The switch waits for who holds the table.
    if (step === 'Comparing the rows') write('begin; update team.plain set b = b where id = 1')
    if (step !== 'Switching') return
    write(
      `alter table team.plain disable trigger all; update team.plain set b = 'unnoted'; alter table team.plain enable trigger all; commit`,
    )
  })
  expect(await settled(stopped)).toThrow('The triggers of the move were switched off for some time, on team.plain.')
  await Promise.all(written)
  await move(target, to.target)
  expect(await to.admin`select distinct b from team.plain`).toEqual([{ b: 'unnoted' }] as never)
  await Promise.all([sql.end(), to.admin.end()])
})

test('a schema that is made meanwhile stops the move, and comes over with the next run', async () => {
  const { target, sql } = await makeSource(plain)
  const to = await makeTarget()
  let made: Promise<unknown> = Promise.resolve()
  const stopped = move(target, to.target, (step) => {
    if (step === 'Comparing the rows') made = sql.unsafe('create schema extra; create table extra.t as select 1 as a').simple().execute()
  })
  expect(await settled(stopped)).toThrow('The definitions were changed while the database was copied')
  await made
  await move(target, to.target)
  expect(await to.admin`select a from extra.t`).toEqual([{ a: 1 }] as never)
  await Promise.all([sql.end(), to.admin.end()])
})

test('keys whose operators an extension has are brought over as they change', async () => {
  const { target, sql } = await makeSource(`create extension ltree schema team; create extension citext schema team;
    create table team.paths (path team.ltree, name team.citext, b text, primary key (path, name));
    insert into team.paths values ('a.b', 'One', 'old'), ('a.c', 'Two', 'old'), ('a.d', 'Three', 'old')`)
  const to = await makeTarget()
  let written: Promise<unknown> = Promise.resolve()
  await move(target, to.target, (step) => {
    if (step !== 'Comparing the rows') return
    written = sql
      .unsafe(
        `set search_path = team; update paths set b = 'new', name = 'ONE' where path = 'a.b'; delete from team.paths where path = 'a.c'; insert into team.paths values ('x', 'y', 'z')`,
      )
      .simple()
      .execute()
  })
  await written
  const rows = (one: Sql) => one`select path::text as path, name::text as name, b from team.paths order by 1`
  expect([...(await rows(to.admin))]).toEqual([
    { path: 'a.b', name: 'ONE', b: 'new' },
    { path: 'a.d', name: 'Three', b: 'old' },
    { path: 'x', name: 'y', b: 'z' },
  ] as never)
  await Promise.all([sql.end(), to.admin.end()])
})

test('a new database that falls silent at the switch lets the writers go on', async () => {
  const { target, sql } = await makeSource(plain)
  const to = await makeTarget()
  await using proxy = await startProxy(to.target)
  let cut = () => {}
  const silenceAtSwitch = (step: string) => {
    if (step === 'Switching') cut = proxy.silence()
  }
  const stopped = move(target, proxy.target, silenceAtSwitch, { silence: { ...patient, databaseMs: 4000 } })
  expect(await settled(stopped)).toThrow('did not answer for 4 s. Nothing was switched')
  // While its server still knows nothing of it.
  await sql`update team.plain set b = 'written'`
  expect(refusalOf(await readMoveState(sql))).toBeNull()
  cut()
  await move(target, proxy.target)
  expect(await to.admin`select distinct b from team.plain`).toEqual([{ b: 'written' }] as never)
  await Promise.all([sql.end(), to.admin.end()])
})

describe('a move is made again', () => {
  const retried = (attempt: () => Promise<unknown>, mayRepeat = () => true) => {
    const said: string[] = []
    return settled(retryMove(attempt, { mayRepeat, say: (sentence) => said.push(sentence) })).then((outcome) => ({ outcome, said }))
  }

  test('where the new database was silent at the switch', async () => {
    const { target, sql } = await makeSource(plain)
    const to = await makeTarget()
    await using proxy = await startProxy(to.target)
    const cuts: (() => void)[] = []
    const silence = { ...patient, databaseMs: 1000 }
    const { outcome, said } = await retried(() => {
      const isFirst = cuts.length === 0
      const silenceFirst = (step: string) => void (isFirst && step === 'Switching' && cuts.push(proxy.silence()))
      return move(target, proxy.target, silenceFirst, { silence: isFirst ? silence : patient }).finally(() => cuts[0]?.())
    })
    expect(outcome).not.toThrow()
    expect(said).toEqual([expect.stringContaining('Nothing was switched, and the move continues.')])
    expect(await to.admin`select count(*)::int as rows from team.plain`).toEqual([{ rows: 10 }] as never)
    await Promise.all([sql.end(), to.admin.end()])
  })

  const lost = () => Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })

  test('three times at most, and not behind the switch', async () => {
    let tries = 0
    const fail = () => {
      tries++
      return Promise.reject(lost())
    }
    expect((await retried(fail)).outcome).toThrow('gone')
    expect(tries).toBe(3)
    expect((await retried(fail, () => false)).outcome).toThrow('gone')
    expect(tries).toBe(4)
  })

  test('and not for an obstacle that stays', async () => {
    const { outcome, said } = await retried(() => Promise.reject(new BackupError('It is in the way.')))
    expect(outcome).toThrow('It is in the way.')
    expect(said).toEqual([])
  })
})

test('what was in the new database before the move stays when the copy is removed', async () => {
  const { target, sql } = await makeSource(
    `${plain}; create extension citext schema public; create table public.ours (a int generated always as identity, b citext)`,
  )
  const to = await makeTarget()
  await to.admin
    .unsafe(`create schema extensions; grant usage on schema extensions to app; create extension pg_trgm schema extensions;
      create extension hstore schema public; grant create on schema public to pg_monitor`)
    .simple()
  const there = () =>
    to.admin`select (select array_agg(extname::text order by 1) from pg_extension) as extensions, (select nspacl::text from pg_namespace where nspname = 'public') as rights,
      (select array_agg(nspname::text order by 1) from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema') as schemas, to_regclass('public.ours')::text as ours`
  const before = [...(await there())]
  expect(await settled(move(target, to.target, (step, end) => void (step === 'Comparing the rows' && end())))).toThrow()
  const app = connect(to.target)
  await emptyTarget(app)
  expect([...(await there())]).toEqual(before as never)
  expect(await settled(move(target, to.target, (step, end) => void (step === 'Comparing the rows' && end())))).toThrow()
  await sql`alter table team.plain add column c int`
  expect((await move(target, to.target)).plan.isBegun).toBe(false)
  expect(await to.admin`select count(*)::int as rows from team.plain`).toEqual([{ rows: 10 }] as never)
  await Promise.all([sql.end(), app.end(), to.admin.end()])
})

test('killed behind its first step, which the old database alone knows, it begins anew', async () => {
  const { target, sql } = await makeSource(plain)
  const to = await makeTarget()
  await beginJournal(sql, { id: crypto.randomUUID(), other: to.name })
  expect(refusalOf(await readMoveState(sql))).toBeNull()
  expect((await move(target, to.target)).plan.isBegun).toBe(false)
  expect(await to.admin`select count(*)::int as rows from team.plain`).toEqual([{ rows: 10 }] as never)
  await Promise.all([sql.end(), to.admin.end()])
})

test('a copy that is not the whole is not opened', async () => {
  const { target, sql } = await makeSource(plain)
  const to = await makeTarget()
  expect(await settled(move(target, to.target, (step, end) => void (step === 'Switching' && end())))).toThrow()
  const sessions = await openSessions({ from: target, to: to.target, config, signal: new AbortController().signal })
  expect(await settled(openTarget(sessions))).toThrow('The new database has lost what was copied at the switch.')
  expect(refusalOf(await readMoveState(sessions.to))).toMatch(/^This database is the unfinished copy/)
  await Promise.all([sessions.end(), sql.end(), to.admin.end()])
})

test('tables that a subscription writes to are not moved', async () => {
  const { target, sql } = await makeSource(plain)
  const to = await makeTarget()
  await sql.unsafe(`create subscription incoming connection 'dbname=nowhere' publication p with (connect = false);
    set allow_system_table_mods = on;
    insert into pg_subscription_rel (srsubid, srrelid, srsubstate) select oid, 'team.plain'::regclass, 'r' from pg_subscription where subname = 'incoming'`)
  expect(await settled(move(target, to.target))).toThrow('A subscription writes to team.plain, and a move cannot see what it writes.')
  await sql.unsafe('alter subscription incoming set (slot_name = none); drop subscription incoming').simple()
  await Promise.all([sql.end(), to.admin.end()])
})

test('a pooler of transactions is told from the server itself', async () => {
  const to = await makeTarget()
  await using pooler = await startPgBouncer(to.target)
  const pooled = { ...config, databasePrepare: false }
  const [sql, direct] = [connectDirectly(pooler.target, pooled), connect(to.target)]
  expect(await settled(requireOwnSession(sql, pooler.target, pooled))).toThrow('is behind a pooler in transaction mode.')
  await requireOwnSession(direct, to.target, config)
  await Promise.all([sql.end(), direct.end(), to.admin.end()])
})

test('one command at a time has the database', async () => {
  const { target, sql } = await makeSource(plain)
  const [one, other] = [connect(target), connect(target)]
  await takeMoveLock(one)
  const [{ pid } = { pid: 0 }] = await one<{ pid: number }[]>`select pg_backend_pid() as pid`
  expect(await settled(takeMoveLock(other))).toThrow(`Another "rowhouse move" is running on this database (PostgreSQL process ${pid}, `)
  const taken = takeMoveLock(other)
  await one.end()
  await taken
  await Promise.all([sql.end(), other.end()])
})
