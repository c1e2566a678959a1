import { afterAll, expect, test } from 'bun:test'
import { describeObjects } from '../../src/backup/database-copy/contents'
import { readPart, readSequences } from '../../src/backup/database-copy/definitions'
import { withoutServerOptions } from '../../src/backup/database-copy/pg-dump'
import { connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
import { readUri } from '../../src/ops/settings/connection-uri'
import { certificateAuthority, startPostgres } from '../support/postgres'
import { settled } from '../support/rejection'
import { testServer } from '../support/server'

const config = readConfig({})
const { signal } = new AbortController()
const server = await startPostgres({ tls: true, databases: ['team'] })
afterAll(() => server[Symbol.asyncDispose]())

const uri = (host: string, more: string) =>
  readUri(`postgres://app:${encodeURIComponent('p@ss/word?')}@${host}:${server.port}/team?${more}`)
const definitions = 'create schema "S"; create table "S".t (a int primary key, b text); create view v as select 1 as one'

test.each([
  ['a password and TLS', uri('localhost', `sslmode=verify-full&sslrootcert=${certificateAuthority}`)],
  ['TLS where the server has it', uri('127.0.0.1', 'sslmode=prefer')],
  ['a socket folder', uri('', `host=${server.socketDir}&port=${server.port}`)],
])('pg_dump reads a database of a team’s server by %s, of the schemas that are wanted', async (_way, target) => {
  const sql = connectDirectly({ uri: target }, config)
  await sql.unsafe(`drop schema if exists "S" cascade; drop view if exists v; ${definitions}`)
  const { beforeRows, behindRows } = await readPart({ target: { uri: target }, config }, ['--schema="S"', '--no-owner'], signal)
  expect(beforeRows).toContain('CREATE TABLE "S".t')
  expect(beforeRows).not.toContain('CREATE VIEW')
  expect(behindRows).toContain('PRIMARY KEY (a)')
  await sql.end()
})

test('a schema with nothing but a table of an extension, its index and its sequence is empty', async () => {
  const sql = connectDirectly(await (await testServer()).createDatabase(), config)
  await sql.unsafe(`set search_path = ''; create schema theirs; create extension citext schema theirs;
    create table theirs.of_extension (id serial primary key); alter extension citext add table theirs.of_extension`)
  expect(await describeObjects(sql, ['theirs'])).toBeNull()
  await sql.unsafe('create type theirs.pair as (a int, b int)')
  expect(await describeObjects(sql, ['theirs'])).toBe('theirs.pair')
  await sql.unsafe('create table theirs.parted (a int) partition by list (a); create view theirs.seen as select 1 as a')
  await sql.unsafe(`create table theirs.part partition of theirs.parted for values in (1); create type theirs.mood as enum ('good')`)
  expect(await describeObjects(sql, ['theirs'])).toBe('theirs.mood, theirs.pair, theirs.parted …')
  await sql.end()
})

test('pg_dump reads what a snapshot sees, and where the sequences stand', async () => {
  const target = await (await testServer()).createDatabase()
  const [sql, other] = [connectDirectly(target, config), connectDirectly(target, config)]
  await sql.unsafe('create table public.seen (a int generated always as identity); insert into public.seen default values')
  await sql.begin('isolation level repeatable read read only', async (tx) => {
    const [row] = await tx<{ name: string }[]>`select pg_export_snapshot() as name`
    await other.unsafe('create table public.unseen ()')
    const seen = [`--snapshot=${row!.name}`, '--schema=public']
    const { beforeRows } = await readPart({ target, config }, seen, signal)
    expect(beforeRows).toContain('CREATE TABLE public.seen')
    expect(beforeRows).not.toContain('unseen')
    expect(await readSequences({ target, config }, seen, signal)).toContain("SELECT pg_catalog.setval('public.seen_a_seq', 1, true)")
  })
  await Promise.all([sql.end(), other.end()])
})

test('pg_dump is not asked where the server refuses', async () => {
  const target = { ...uri('127.0.0.1', 'sslmode=require'), password: 'wrong' }
  expect(await settled(readPart({ target: { uri: target }, config }, [], signal))).toThrow('password authentication failed')
  const plain = uri('127.0.0.1', 'sslmode=disable')
  expect(await settled(readPart({ target: { uri: plain }, config }, [], signal))).toThrow('no pg_hba.conf entry')
})

test('options of columns that a server keeps for itself are left out, and those that somebody chose stay', async () => {
  const from = { uri: uri('localhost', 'sslmode=require') }
  const sql = connectDirectly(from, config)
  await sql.unsafe('create schema kept; create table kept.t (a int, b text); alter table kept.t alter a set (n_distinct = 5)')
  const { beforeRows } = await readPart({ target: from, config }, ['--schema=kept', '--no-owner'], signal)
  expect(beforeRows).toContain('ALTER TABLE ONLY kept.t ALTER COLUMN a SET (n_distinct=5);')
  const target = await (await testServer()).createDatabase()
  const other = connectDirectly(target, config)
  await other.unsafe(beforeRows).simple()
  await Promise.all([sql.end(), other.end()])
})

test.each([
  ['ALTER TABLE ONLY s.t ALTER COLUMN a SET (pg_attver=22158952);', ''],
  [
    'ALTER TABLE ONLY s.t ALTER COLUMN "x y" SET (n_distinct=5, pg_attver=7);',
    'ALTER TABLE ONLY s.t ALTER COLUMN "x y" SET (n_distinct=5);',
  ],
  ['ALTER TABLE ONLY s.t ALTER COLUMN a SET (n_distinct=5);', 'ALTER TABLE ONLY s.t ALTER COLUMN a SET (n_distinct=5);'],
  ['ALTER TABLE ONLY "T;x\ny" ALTER COLUMN "a""\n" SET (pg_attver=7);', ''],
])('of “%s” stays “%s”', (line, left) => {
  expect(withoutServerOptions(`-- before\n${line}\n-- behind`)).toBe(`-- before\n${left}\n-- behind`)
})
