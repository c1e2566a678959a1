import { expect, test } from 'bun:test'
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { ask, scratchIn } from '../support/backups'
import { call, run, startService } from '../support/executable'
import { inventoryOf, runUpgrade, usedOlder, withCluster } from '../support/older-data'

const inPlace = (dataDir: string) => ({ environment: { ROWHOUSE_DATA_DIR: dataDir } })
const majorOf = async (dataDir: string, cluster = 'postgres') => Number(await Bun.file(join(dataDir, cluster, 'PG_VERSION')).text())
const clustersIn = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('postgres'))
const serve = (dataDir: string) => run([], { environment: { ROWHOUSE_DATA_DIR: dataDir, PORT: '0' } })

test('everything of a database comes over, is compared, and serves; the old one is kept until it is removed', async () => {
  using older = await usedOlder()
  const { dataDir, token, record, file } = older
  const before = await withCluster(dataDir, inventoryOf)
  const done = await runUpgrade(dataDir)
  expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 })
  expect(done.stdout).toMatch(/^Brought the database from PostgreSQL 17 to 18 in [\d.]+ s: \d+ tables with \d+ rows, \d+ indexes/)
  expect(done.stdout).toContain('kept as postgres-17')
  expect(await majorOf(dataDir)).toBe(18)
  expect(scratchIn(dataDir)).toEqual([])
  expect(await withCluster(dataDir, inventoryOf)).toEqual(before)
  expect(await withCluster(dataDir, inventoryOf, 'postgres-17')).toEqual(before)

  {
    await using service = await startService({ dataDir })
    expect(await ask<{ version: string }>(service, 'select version()')).toEqual([{ version: expect.stringContaining('PostgreSQL 18') }])
    expect(await (await call(service.url + record.path, { token })).text()).toBe(record.text)
    expect(await (await call(service.url + file.path, { token })).text()).toBe(file.text)
    const written = await call(`${service.url}/api/v1/tables/items/records`, { token, body: { note: 'behind the upgrade' } })
    expect(written.status).toBe(201)
  }
  expect((await runUpgrade(dataDir)).stdout).toBe('The database already uses PostgreSQL 18.\n')

  const removed = await run(['upgrade', '--remove-old'], inPlace(dataDir))
  expect({ code: removed.code, stdout: removed.stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Removed the database of PostgreSQL 17, which frees \d{2,3}\.\d MB\.\n$/),
  })
  expect(clustersIn(dataDir)).toEqual(['postgres'])
  expect(readdirSync(join(dataDir, 'runtime'))).toEqual([expect.stringMatching(/^postgres-18/)])
  expect((await run(['upgrade', '--remove-old'], inPlace(dataDir))).stdout).toBe('There is no database of an older PostgreSQL.\n')
})

test('what cannot be upgraded is refused by name, with nothing changed', async () => {
  using older = await usedOlder()
  const { dataDir } = older
  await withCluster(dataDir, async (sql) => {
    await sql`create database another`
    await sql`alter system set wal_level = 'logical'`
    await sql`create subscription away connection 'host=/nowhere' publication p with (connect = false)`
    await sql`grant set on parameter log_statement to app`
    await sql`set role rowhouse; grant select on large object 4713 to app with grant option; set role app; grant select on large object 4713 to boss`.simple()
  })
  await withCluster(dataDir, (sql) => sql`select pg_create_logical_replication_slot('reader', 'pgoutput')`)
  await withCluster(dataDir, (sql) => sql`create table mine (a int)`, 'postgres', 'postgres')
  const refused = await runUpgrade(dataDir)
  expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({ code: 1 })
  const sentence = refused.stderr.split('\n').find((line) => line.includes('cannot be upgraded'))
  for (const name of [
    ...['the database another', 'the replication slot reader', 'the subscription away', 'the rights on the setting log_statement'],
    ...['the rights on the large object 4713', 'the relation mine in the database postgres'],
  ]) {
    expect(sentence).toContain(name)
  }
  expect(sentence).toContain('Nothing was changed.')
  expect([clustersIn(dataDir), scratchIn(dataDir), await majorOf(dataDir)]).toEqual([['postgres'], [], 17])
})

test('an exchange that was cut off is finished by the next start, or begun again', async () => {
  using older = await usedOlder()
  const { dataDir, token, record } = older
  expect((await runUpgrade(dataDir)).code).toBe(0)
  // Before the first of its two renames: the old database counts, which may have been written to since.
  renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres.upgraded'))
  renameSync(join(dataDir, 'postgres-17'), join(dataDir, 'postgres'))
  await withCluster(dataDir, (sql) => sql`create table team.since (a int)`)
  expect((await serve(dataDir)).stderr).toContain('was made by PostgreSQL 17')
  expect(clustersIn(dataDir)).toEqual(['postgres'])
  expect((await runUpgrade(dataDir)).code).toBe(0)
  // Between them nobody could write.
  renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres.upgraded'))
  await using service = await startService({ dataDir })
  expect(await (await call(service.url + record.path, { token })).text()).toBe(record.text)
  expect(await ask(service, `select count(*)::int as found from team.since`)).toEqual([{ found: 0 }])
  expect(clustersIn(dataDir).sort()).toEqual(['postgres', 'postgres-17'])
  expect(existsSync(join(dataDir, 'postgres.upgraded'))).toBe(false)
})
