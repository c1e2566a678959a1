import { spawnSync } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { backUp } from '../support/backups'
import { newFolder, type Service, startService } from '../support/executable'
import { cellPath, largeFile, makePets } from '../support/pets'
import { setUp } from '../support/used-data'
import { connectTo, socketPathOf } from './socket'
import { mb, median, ms, notThere, percent, type Row, times } from './table'
import { type Watched, watch } from './watch'
import { type WriteFigures, writes } from './writers'

/** Rows of some 500 bytes. */
const rowCount = Number(process.env.BENCH_BACKUP_ROWS ?? 1_000_000)
const fileMegabytes = 100
const rounds = 3
/** That of the backup itself, which leaves the processor to the service: else the load of the machine is measured. */
const niceness = 10
const bars = { speed: '≥ 80 %', p99: '≤ 1.5×', memory: '≤ 64 MB' }

/**
 * A backup under writes and its restore, beside `tar | zstd` of the same folders and its unpacking: the programs of
 * PostgreSQL 18, of which pg_basebackup is one, are not packed, and those of another version refuse.
 */
export async function measureBackup(): Promise<Row[]> {
  const service = await startService()
  const { dataDir } = service
  const token = await setUp(service)
  if ((await backUp(dataDir, join(openTo(newFolder()), 'small'))).code !== 0) return [notThere('Backup', bars.speed)]
  await fill(service, token)
  const folder = openTo(newFolder())
  const small = await watch(dataDir, ['backup', '--data-dir', await smallDataDir(), join(folder, 'small')])
  const bytes = Number(
    spawnSync('du', ['-sb', join(dataDir, 'postgres'), join(dataDir, 'files'), '-c'], { encoding: 'utf8' }).stdout.match(
      /(\d+)\ttotal/,
    )![1],
  )
  const loads: { quiet: WriteFigures; busy: WriteFigures; made: Watched }[] = []
  for (let round = 0; round < rounds; round++) {
    const quiet = await writes(service, token, () => Bun.sleep(10_000))
    let made: Watched | undefined
    const busy = await writes(service, token, async () => {
      made = await watch(dataDir, ['backup', join(folder, `large${round}`)])
    })
    loads.push({ quiet, busy, made: made! })
  }
  await service.stop()
  const encryption = join(folder, 'passphrase')
  await Bun.write(encryption, 'correct horse battery staple\n')
  // In turn, so that a slow moment of the machine falls on both sides.
  const turns: { copied: number; calm: Watched; back: Watched; unpacked: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const [calmly, copy, out] = ['calm', 'copy', 'out'].map((name) => join(folder, name + round))
    const copied = timeOf(`tar -cf - -C ${dataDir} postgres files | zstd -q -3 > ${copy} && sync ${copy}`)
    const calm = await watch(dataDir, ['backup', calmly!])
    const unpacked = timeOf(`mkdir ${out} && zstd -q -dc ${copy} | tar -xf - -C ${out} && sync -f ${out}`)
    const restored = join(openTo(newFolder()), 'data')
    turns.push({ copied, calm, unpacked, back: await watch(restored, ['restore', calmly!]) })
    for (const path of [out!, copy!, restored]) rmSync(path, { recursive: true })
  }
  const locked = await watch(dataDir, ['backup', `--passphrase-file=${encryption}`, join(folder, 'locked')])
  const middle = (pick: (turn: (typeof turns)[number]) => number) => median(turns.map(pick))
  const [copied, copying, checked, back, unpacked] = [
    middle((turn) => turn.copied),
    middle(({ calm }) => calm.steps[0]!.seconds),
    middle((turn) => turn.back.steps[0]!.seconds),
    middle((turn) => turn.back.steps[1]!.seconds),
    middle((turn) => turn.unpacked),
  ]
  const ratio = middle((turn) => turn.copied / turn.calm.steps[0]!.seconds)
  const restoreRatio = middle((turn) => turn.unpacked / turn.back.steps[1]!.seconds)
  const speed = (seconds: number) => `${Math.round(bytes / 2 ** 20 / seconds)} MB/s`
  const ofLoads = (pick: (load: (typeof loads)[number]) => number) => median(loads.map(pick))
  const slower = ofLoads(({ quiet, busy }) => busy.p99Ms / quiet.p99Ms)
  const writeRow = (what: string, pick: (load: (typeof loads)[number]) => WriteFigures) => ({
    what,
    figure: `${ofLoads((load) => pick(load).perSecond)}/s`,
    p50: ms(ofLoads((load) => pick(load).p50Ms)),
    p99: ms(ofLoads((load) => pick(load).p99Ms)),
  })
  const growth =
    Math.max(
      ofLoads(({ made }) => made.memory),
      middle(({ calm }) => calm.memory),
    ) - small.memory
  return [
    { what: `Reference: tar, zstd -3 of ${mb(bytes)}`, figure: speed(copied), ratio: '100 %' },
    {
      what: `Backup, ${mb(statSync(join(folder, 'calm0')).size)}`,
      figure: speed(copying),
      ratio: percent(ratio),
      bar: bars.speed,
      isMet: ratio >= 0.8,
    },
    { what: 'Backup, encrypted', figure: speed(locked.steps[0]!.seconds), ratio: percent(copied / locked.steps[0]!.seconds) },
    { what: 'Trying it out', figure: `${middle(({ calm }) => calm.steps[1]!.seconds).toFixed(1)} s` },
    { what: 'Reference: zstd, tar -x, and sync', figure: speed(unpacked), ratio: '100 %' },
    { what: 'Checking every byte', figure: speed(checked) },
    { what: 'Restore with the recovery, after the check', figure: speed(back), ratio: percent(restoreRatio) },
    writeRow('Writes, no backup', ({ quiet }) => quiet),
    {
      ...writeRow(`Writes during a backup (${ofLoads(({ made }) => made.seconds).toFixed(1)} s)`, ({ busy }) => busy),
      ratio: times(slower),
      bar: bars.p99,
      isMet: slower <= 1.5,
    },
    { what: 'Memory of a backup of an empty installation', figure: mb(small.memory) },
    { what: `Growth with ${mb(bytes)}`, figure: mb(growth), bar: bars.memory, isMet: growth <= 64 * 2 ** 20 },
  ]
}

function openTo(folder: string): string {
  spawnSync('chmod', ['777', folder])
  return folder
}

async function smallDataDir(): Promise<string> {
  await using service = await startService()
  await setUp(service)
  return service.dataDir
}

async function fill(service: Service, token: string) {
  const sql = connectTo(socketPathOf(service.dataDir))
  // Half of it text that is like other text, half of it not.
  await sql.unsafe(
    `insert into data.items (number, note) select n, repeat(md5((n / 3)::text), 7) || md5(random()::text) || md5(random()::text) from generate_series(1, ${rowCount}) n`,
  )
  await sql.unsafe('checkpoint')
  await sql.end()
  await makePets({ url: service.url, token })
  const answer = await fetch(`${service.url}${cellPath}?name=large`, {
    method: 'POST',
    body: Bun.file(largeFile(fileMegabytes)),
    headers: { authorization: `Bearer ${token}` },
  })
  if (answer.status !== 201) throw new Error(await answer.text())
}

function timeOf(script: string): number {
  const startedAt = performance.now()
  if (spawnSync('nice', ['-n', String(niceness), 'sh', '-ec', script]).status !== 0) throw new Error(script)
  return (performance.now() - startedAt) / 1000
}
