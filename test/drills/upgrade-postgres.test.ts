import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, scratchIn } from '../support/backups'
import { run, startService } from '../support/executable'
import { give } from '../support/older-cluster'
import { inventoryOf, runUpgrade, usedOlder, withCluster } from '../support/older-data'
import { untilReadyz } from '../support/ready'

const inPlace = (dataDir: string) => ({ environment: { ROWHOUSE_DATA_DIR: dataDir } })
const clustersIn = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('postgres'))

const serve = (dataDir: string) => run([], { environment: { ROWHOUSE_DATA_DIR: dataDir, PORT: '0' } })

test('the way back: the old database takes its place again, as it was before', async () => {
  using older = await usedOlder()
  const { dataDir } = older
  const before = await withCluster(dataDir, inventoryOf)
  expect((await runUpgrade(dataDir)).code).toBe(0)
  renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres-18'))
  renameSync(join(dataDir, 'postgres-17'), join(dataDir, 'postgres'))
  expect(await withCluster(dataDir, inventoryOf)).toEqual(before)
  // And once more.
  expect((await runUpgrade(dataDir)).code).toBe(0)
  expect(clustersIn(dataDir).sort()).toEqual(['postgres', 'postgres-17', 'postgres-18'])
  const refused = await runUpgrade(dataDir)
  expect(refused.stdout).toContain('already')
})

test('what the new version does not take ends the upgrade: the rows of a table, a setting', async () => {
  using older = await usedOlder()
  const { dataDir } = older
  await withCluster(dataDir, (sql) =>
    sql`create table team.limits (above int); insert into team.limits values (5);
      create function team.below(a int) returns boolean language sql as 'select exists (select from team.limits where a < above)';
      create table team.limited (a int check (team.below(a))); insert into team.limited select i % 5 from generate_series(1, 100000) i`.simple(),
  )
  const failed = await runUpgrade(dataDir)
  expect({ code: failed.code, stderr: failed.stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /The rows of team\.limited could not be copied: new row for relation "limited" violates check constraint/,
    ),
  })
  expect([clustersIn(dataDir), scratchIn(dataDir)]).toEqual([['postgres'], []])
  await withCluster(dataDir, (sql) => sql`drop table team.limited`)

  await withCluster(dataDir, (sql) => sql`comment on table team.things is ${sql.unsafe(`'a line\n\\restrict me'`)}`)
  const command = await runUpgrade(dataDir)
  expect({ code: command.code, stderr: command.stderr }).toEqual({ code: 1, stderr: expect.stringContaining('begins with \\restrict') })
  await withCluster(dataDir, (sql) => sql`comment on table team.things is null`)

  writeFileSync(join(dataDir, 'conf/custom.conf'), 'db_user_namespace_of_old = on\n')
  const unknown = await runUpgrade(dataDir)
  expect({ code: unknown.code, stderr: unknown.stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/PostgreSQL did not start: .*unrecognized configuration parameter "db_user_namespace_of_old"/),
  })
  writeFileSync(join(dataDir, 'conf/custom.conf'), "work_mem = '7MB'\n")
  await withCluster(dataDir, (sql) => sql`alter system set maintenance_work_mem = '77MB'`)
  expect((await runUpgrade(dataDir)).code).toBe(0)
  await using service = await startService({ dataDir })
  expect(await ask(service, `select current_setting('work_mem') as one, current_setting('maintenance_work_mem') as other`)).toEqual([
    { one: '7MB', other: '77MB' },
  ])
})

test('the archive of the log begins anew; a service that runs is not disturbed', async () => {
  using older = await usedOlder()
  const { dataDir } = older
  const archive = {
    id: 'one',
    place: join(dataDir, 'archive'),
    identity: null,
    createdAt: '2026-11-22T10:00:00Z',
    isBegun: true,
    earlier: ['none'],
  }
  const outbox = join(dataDir, 'wal/outbox')
  mkdirSync(outbox, { recursive: true })
  writeFileSync(join(dataDir, 'wal/archive.json'), JSON.stringify(archive))
  writeFileSync(join(outbox, '000000010000000000000001'), 'of the old one')
  give(join(dataDir, 'wal'))
  expect((await runUpgrade(dataDir)).code).toBe(0)
  const begun = await Bun.file(join(dataDir, 'wal/archive.json')).json()
  expect(begun).toMatchObject({ place: archive.place, isBegun: false, earlier: ['none', 'one'] })
  expect([begun.id === 'one', readdirSync(outbox)]).toEqual([false, []])
  await using service = await startService({ dataDir })
  const refused = await runUpgrade(dataDir)
  expect({ code: refused.code, stderr: refused.stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/Another Rowhouse \(process \d+\) is running on .* Stop it first/),
  })
  expect((await run(['upgrade', '--remove-old'], inPlace(dataDir))).code).toBe(0)
  await untilReadyz(service)
})

test('a start refuses the older database, keeps its programs, and says what brings it over', async () => {
  using older = await usedOlder()
  const { dataDir } = older
  const refused = await serve(dataDir)
  expect({ code: refused.code, stderr: refused.stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/was made by PostgreSQL 17, .* PostgreSQL 18\. Nothing was changed\. .*rowhouse upgrade --postgres/),
  })
  const [programs, ...others] = readdirSync(join(dataDir, 'runtime'))
  expect([programs, others]).toEqual([expect.stringMatching(/^postgres-17/), []])
  // A start on another database, or a restore, has unpacked the new one; what is needed of the old one stays.
  expect((await runUpgrade(dataDir)).code).toBe(0)
  expect(readdirSync(join(dataDir, 'runtime')).sort()).toEqual([programs!, expect.stringMatching(/^postgres-18/)])

  using without = await usedOlder()
  rmSync(join(without.dataDir, 'runtime'), { recursive: true })
  const sentence = await runUpgrade(without.dataDir)
  expect({ code: sentence.code, stderr: sentence.stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/programs are not in .*\/runtime\. Nothing was changed\. .*start the release that made it once.* ln -s /),
  })
  // Any installed PostgreSQL 17 will do; here it lies elsewhere in the data directory of another installation.
  mkdirSync(join(without.dataDir, 'runtime'), { recursive: true })
  renameSync(join(dataDir, 'runtime', programs!), join(without.dataDir, 'runtime/postgres-17'))
  expect((await runUpgrade(without.dataDir)).code).toBe(0)
})
