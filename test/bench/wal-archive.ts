import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backUp, openFolder } from '../support/backups'
import { newFolder } from '../support/executable'
import { startUsed } from '../support/used-data'
import { addNumber, archived, restoreTo, segmentsIn, type UsedService } from '../support/wal-archives'
import { connectTo, socketPathOf } from './socket'
import { median, ms, type Row, times } from './table'
import { writes } from './writers'

const rounds = 6
const roundMs = 5000
/** Rows of some 600 bytes, which make the log that is restored. */
const rowsOfLog = 500_000

/**
 * What the archive of the log costs writers: the same writes with no archive, a plain and an encrypted one, in turn. Then how
 * fast a restore follows the log.
 */
export async function measureWalArchive(): Promise<Row[]> {
  const passphrase = join(openFolder(), 'passphrase')
  writeFileSync(passphrase, 'correct horse battery staple\n')
  const archive = openFolder()
  const kinds: { what: string; environment: Record<string, string> }[] = [
    { what: 'Writes, no archive', environment: {} },
    { what: 'Writes, archived', environment: { ROWHOUSE_WAL_ARCHIVE: archive } },
    { what: 'Writes, archived and encrypted', environment: { ROWHOUSE_WAL_ARCHIVE: openFolder(), ROWHOUSE_PASSPHRASE_FILE: passphrase } },
  ]
  const services = await Promise.all(kinds.map(({ environment }) => startUsed({ environment })))
  const measured = services.map((): Awaited<ReturnType<typeof writes>>[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, service] of services.entries()) measured[index]!.push(await writes(service, service.token, () => Bun.sleep(roundMs)))
  const middle = (index: number, pick: (figures: Awaited<ReturnType<typeof writes>>) => number) => median(measured[index]!.map(pick))
  const rows: Row[] = kinds.map(({ what }, index) => ({
    what,
    figure: `${Math.round(middle(index, ({ perSecond }) => perSecond))}/s`,
    p50: ms(middle(index, ({ p50Ms }) => p50Ms)),
    p99: ms(middle(index, ({ p99Ms }) => p99Ms)),
    ratio: times(middle(index, ({ perSecond }) => perSecond) / middle(0, ({ perSecond }) => perSecond)),
  }))
  const [, plain] = services
  rows.push(...(await follow(plain!, archive)))
  await Promise.all(services.map((service) => service.stop()))
  return rows
}

async function follow(service: UsedService, archive: string): Promise<Row[]> {
  const file = join(openFolder(), 'base')
  if ((await backUp(service.dataDir, file)).code !== 0) throw new Error('There is no backup.')
  const restoring = async () => {
    const startedAt = performance.now()
    const { code, stderr } = await restoreTo(file, archive, 'latest', join(newFolder(), 'data'))
    if (code !== 0) throw new Error(stderr)
    return (performance.now() - startedAt) / 1000
  }
  await addNumber(service, 1)
  await archived(service, archive)
  const before = segmentsIn(archive).length
  const little = await restoring()
  const sql = connectTo(socketPathOf(service.dataDir))
  await sql.unsafe(
    `insert into data.items (number, note) select n, repeat(md5((n / 3)::text), 7) || md5(random()::text) || md5(random()::text) from generate_series(1, ${rowsOfLog}) n`,
  )
  await sql.end()
  const startedAt = performance.now()
  await archived(service, archive)
  const behind = (performance.now() - startedAt) / 1000
  const megabytes = (segmentsIn(archive).length - before) * 16
  const much = await restoring()
  return [
    { what: `Archived after a statement that logs ${megabytes} MB at once`, figure: `${behind.toFixed(1)} s` },
    { what: 'Restore, with a segment of log', figure: `${little.toFixed(1)} s` },
    { what: `Restore along ${megabytes} MB of log`, figure: `${Math.round(megabytes / (much - little))} MB/s` },
  ]
}
