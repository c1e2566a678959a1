import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { launch, openFolder, scratchIn } from '../support/backups'
import { copyFolder } from '../support/executable'
import { connectTo, inventoryOf, runUpgrade, usedOlder, withCluster } from '../support/older-data'
import { findInitdb, isAlive, processOf, until } from '../support/processes'
import { printedRandom } from '../support/random'
import { mayMountDisk, withSmallDisk } from '../support/small-disk'

const kills = Number(process.env.KILLS ?? 50)
const random = printedRandom()

const majorOf = async (dataDir: string) => Number(await Bun.file(join(dataDir, 'postgres/PG_VERSION')).text())

/** Whether PostgreSQL of the data directory still runs; it ends a moment behind its service. */
const isInUse = (dataDir: string) => readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && folderOf(pid).startsWith(`${dataDir}/`))

function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

test(`${kills} times kill -9 at any moment: the old database starts as it was, and the upgrade begins again`, async () => {
  using original = await usedOlder()
  const before = await withCluster(original.dataDir, inventoryOf)
  const startedAt = performance.now()
  expect((await runUpgrade(original.dataDir)).code).toBe(0)
  // Some are killed behind the end, too.
  const longestMs = (performance.now() - startedAt) * 1.2
  let older = await usedOlder()
  using _last = { [Symbol.dispose]: () => older[Symbol.dispose]() }
  let finished = 0
  for (let time = 0; time < kills; time++) {
    const { dataDir } = older
    const upgrading = launch(['upgrade', '--postgres'], dataDir)
    await Bun.sleep(random() * longestMs)
    upgrading.kill('SIGKILL')
    const outcome = await upgrading.ended
    await until('PostgreSQL has ended', async () => !isInUse(dataDir))
    // What a start does first, where the kill was between the two renames.
    if (!existsSync(join(dataDir, 'postgres'))) expect((await runUpgrade(dataDir)).code).toBe(0)
    expect(await withCluster(dataDir, inventoryOf)).toEqual(before)
    if ((await majorOf(dataDir)) === 17) continue
    finished++
    expect((await runUpgrade(dataDir)).stdout).toContain('already')
    expect([outcome === 0 || outcome === 'SIGKILL', scratchIn(dataDir)]).toEqual([true, []])
    older[Symbol.dispose]()
    older = await usedOlder()
  }
  if (process.env.KILLS) console.log(`${kills} kills, of which ${finished} came behind the exchange.`)
  const { dataDir } = older
  expect((await runUpgrade(dataDir)).code).toBe(0)
  expect([
    scratchIn(dataDir),
    readdirSync(dataDir)
      .filter((name) => name.startsWith('postgres'))
      .sort(),
  ]).toEqual([[], ['postgres', 'postgres-17']])
  expect(await withCluster(dataDir, inventoryOf)).toEqual(before)
}, 3_600_000)

if (process.platform === 'linux') {
  test('kill -9 while initdb makes the new database: the next upgrade ends that initdb, and no scratch folder stays', async () => {
    using older = await usedOlder()
    const { dataDir } = older
    const upgrading = launch(['upgrade', '--postgres'], dataDir)
    const filling = () => findInitdb(dataDir).find(({ folder }) => existsSync(join(folder, 'global/pg_control')))
    await until('initdb fills its folder', () => filling() !== undefined, upgrading.ended)
    const { pid } = filling()!
    process.kill(pid, 'SIGSTOP')
    upgrading.kill('SIGKILL')
    await upgrading.ended
    expect((await runUpgrade(dataDir)).code).toBe(0)
    const hasEnded = !isAlive(pid)
    if (!hasEnded) process.kill(pid, 'SIGCONT')
    expect([hasEnded, scratchIn(dataDir), await majorOf(dataDir)]).toEqual([true, [], 18])
  })
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it, and nothing is left behind', async (signal) => {
  using older = await usedOlder()
  const { dataDir } = older
  for (const step of ['Starting PostgreSQL 17', 'Reading the definitions', 'Comparing the rows']) {
    const upgrading = launch(['upgrade', '--postgres'], dataDir)
    await until(step, () => upgrading.said().includes(step), upgrading.ended)
    upgrading.kill(signal)
    const code = await upgrading.ended
    // The rest of the last step may be done before this process gets its time.
    if (code === 0) break
    expect({ code, errors: await upgrading.errors }).toEqual({
      code: 1,
      errors: expect.stringContaining('Interrupted; nothing was left behind.'),
    })
    expect([scratchIn(dataDir), await majorOf(dataDir), isInUse(dataDir)]).toEqual([[], 17, false])
  }
})

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

test.each(['old', 'new'] as const)(
  'the %s PostgreSQL is killed meanwhile: the upgrade fails with nothing left behind, or is whole',
  async (which) => {
    using older = await usedOlder()
    const { dataDir } = older
    // A crash empties unlogged tables.
    const logged = async (sql: Sql) => ({ ...(await inventoryOf(sql)), 'team.volatile': null })
    const before = await withCluster(dataDir, logged)
    const clusterDir = () =>
      join(dataDir, which === 'old' ? '' : (scratchIn(dataDir).find((name) => !name.endsWith('.lock')) ?? ''), 'postgres')
    const pidFile = () => readIfThere(join(clusterDir(), 'postmaster.pid')).split('\n')
    const upgrading = launch(['upgrade', '--postgres'], dataDir)
    await until('it runs', async () => scratchIn(dataDir).length > 0 && pidFile()[7]?.trim() === 'ready')
    await Bun.sleep(random() * 1500)
    process.kill(Number(pidFile()[0]), 'SIGKILL')
    // Started anew before anybody has asked it, it goes on.
    if ((await upgrading.ended) !== 0) {
      expect(await upgrading.errors).toMatch(/PostgreSQL ended meanwhile|definitions could not be read/)
      await until('PostgreSQL has ended', async () => !isInUse(dataDir))
      expect([scratchIn(dataDir), await majorOf(dataDir)]).toEqual([[], 17])
      expect((await runUpgrade(dataDir)).code).toBe(0)
    }
    expect(await withCluster(dataDir, logged)).toEqual(before)
  },
)

test.each([
  ['when it was filled', 1],
  ['when it was compared', 2],
])(
  'the new PostgreSQL is killed while it stops, %s: the upgrade fails, and the next one has the rows of unlogged tables',
  async (_when, stops) => {
    using older = await usedOlder()
    const { dataDir } = older
    const before = await withCluster(dataDir, inventoryOf)
    expect(before['team.volatile']).toEqual(['(1)'])
    const scratch = () => scratchIn(dataDir).find((name) => !name.endsWith('.lock')) ?? ''
    const pidFile = () => readIfThere(join(dataDir, scratch(), 'postgres/postmaster.pid')).split('\n')
    const upgrading = launch(['upgrade', '--postgres'], dataDir)
    let pid = 0
    for (let start = 1; start <= stops; start++) {
      await until(`start ${start}`, async () => Number(pidFile()[0]) !== pid && scratch() !== '' && pidFile()[7]?.trim() === 'ready')
      pid = Number(pidFile()[0])
    }
    // A shutdown waits for it, before it writes down that all is on the disk.
    const writer = processOf(pid, 'background writer')!
    process.kill(writer, 'SIGSTOP')
    await until('it stops', async () => pidFile()[7]?.trim() === 'stopping')
    for (const each of [pid, writer]) process.kill(each, 'SIGKILL')
    expect({ code: await upgrading.ended, errors: await upgrading.errors }).toEqual({
      code: 1,
      errors: expect.stringContaining('PostgreSQL ended meanwhile'),
    })
    expect([scratchIn(dataDir), await majorOf(dataDir)]).toEqual([[], 17])
    expect((await runUpgrade(dataDir)).code).toBe(0)
    expect(await withCluster(dataDir, inventoryOf)).toEqual(before)
  },
)

test('the old PostgreSQL recovers between copy and count: the upgrade fails for that, and not for the rows of unlogged tables', async () => {
  using older = await usedOlder()
  const { dataDir } = older
  const folder = openFolder()
  const [reached, open] = [join(folder, 'reached'), join(folder, 'open')]
  writeFileSync(open, '')
  // Its rows are the last ones, and the new database takes them when the file is there.
  await withCluster(dataDir, (sql) =>
    sql
      .unsafe(`create function team.wait() returns boolean language plpgsql as $$ begin
        copy (select 1) to '${reached}';
        while (select size from pg_stat_file('${open}', true)) is null loop perform pg_sleep(0.02); end loop;
        return true; end $$;
        create table team.waiting (a int check (team.wait())); insert into team.waiting values (1)`)
      .simple(),
  )
  for (const path of [reached, open]) rmSync(path)
  const upgrading = launch(['upgrade', '--postgres'], dataDir)
  await until('all other rows are copied', async () => existsSync(reached))
  const pidFile = () => readIfThere(join(dataDir, 'postgres/postmaster.pid')).split('\n')
  const postmaster = Number(pidFile()[0])
  process.kill(processOf(postmaster, 'background writer')!, 'SIGKILL')
  let hasEnded = false
  void upgrading.ended.then(() => {
    hasEnded = true
  })
  const isEmptied = async () => {
    const sql = connectTo(pidFile()[4] ?? '', 'rowhouse')
    const rows = await sql`select from team.volatile`.catch(() => null).finally(() => sql.end())
    return rows?.length === 0
  }
  await until('it has recovered', async () => hasEnded || (await isEmptied()))
  writeFileSync(open, '')
  expect({ code: await upgrading.ended, errors: await upgrading.errors }).toEqual({
    code: 1,
    errors: expect.stringContaining('PostgreSQL ended meanwhile'),
  })
  expect([scratchIn(dataDir), await majorOf(dataDir)]).toEqual([[], 17])
  expect((await runUpgrade(dataDir)).code).toBe(0)
  expect((await withCluster(dataDir, inventoryOf))['team.volatile']).toEqual([])
})

test.if(mayMountDisk())(
  'a disk without the room is refused beforehand; one that fills up ends the upgrade, and the old database starts',
  async () => {
    using older = await usedOlder()
    const { dataDir: original } = older
    await withSmallDisk('330m', async (disk, enlarge) => {
      const dataDir = join(disk, 'data')
      copyFolder(original, dataDir)
      const environment = { ROWHOUSE_MIN_FREE_BYTES: '0' }
      const refused = await runUpgrade(dataDir, environment)
      expect({ code: refused.code, stderr: refused.stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/The upgrade takes up to [\d.]+ MB in .*, and [\d.]+ MB are free\./),
      })
      expect(readdirSync(join(dataDir, 'runtime'))).toHaveLength(1)

      const before = await withCluster(dataDir, inventoryOf)
      enlarge('700m')
      for (const left of [10, 30, 50]) {
        const filler = join(disk, 'filler')
        const upgrading = launch(['upgrade', '--postgres'], dataDir, environment)
        await until('the room was looked at', async () => existsSync(join(dataDir, 'rowhouse.lock')) && scratchIn(dataDir).length > 0)
        const { bavail, bsize } = statfsSync(disk)
        writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left * 2 ** 20)))
        const [code, errors] = [await upgrading.ended, await upgrading.errors]
        rmSync(filler)
        if (code === 0) throw new Error(`${left} MB were enough.`)
        expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(/disk|space/i) })
        expect([scratchIn(dataDir), await majorOf(dataDir)]).toEqual([[], 17])
        expect(await withCluster(dataDir, inventoryOf)).toEqual(before)
      }
      expect((await runUpgrade(dataDir, environment)).code).toBe(0)
      expect(await withCluster(dataDir, inventoryOf)).toEqual(before)
    })
  },
)
