import { spawnSync } from 'node:child_process'
import { startService } from '../support/executable'
import { type Postgres, startPostgres } from '../support/postgres'
import { setUp } from '../support/used-data'
import { connectTo, socketPathOf } from './socket'
import { count, mb, type Row } from './table'
import { type Watched, watch } from './watch'
import { writes } from './writers'

/** Rows of some 600 bytes, with their index; 16 million take 10 GB. */
const rowCount = Number(process.env.BENCH_MOVE_ROWS ?? 500_000)
const rowsPerStatement = 500_000
const bars = { switch: '≤ 5 s', lost: 'none' }

/** `rowhouse move` under four writers to a PostgreSQL 18 on this machine, over TCP, as an ordinary role. */
export async function measureMove(): Promise<Row[]> {
  await using server = await startPostgres()
  await using service = await startService()
  const token = await setUp(service)
  await fill(service.dataDir)
  const bytes = diskUsage(service.dataDir)
  const target = await server.createDatabase('moved')
  let moved: Watched | undefined
  const load = await writes(service, token, async () => {
    moved = await watch(service.dataDir, ['move'], { ROWHOUSE_MOVE_TO: target })
  })
  const { seconds, memory, steps, stderr } = moved!
  const switchSeconds = Number(/held writers for ([\d.]+) s/.exec(stderr)?.[1])
  const lost = rowCount + load.acknowledged - (await countRows(server))
  return [
    { what: `Moving ${count(rowCount)} rows, ${mb(bytes)}`, figure: `${seconds.toFixed(0)} s` },
    ...steps.map(({ step, seconds }) => ({ what: `- ${step}`, figure: `${seconds.toFixed(1)} s` })),
    { what: 'Time that the switch held writers', figure: `${switchSeconds} s`, bar: bars.switch, isMet: switchSeconds <= 5 },
    { what: 'Longest time without an acknowledged write', figure: `${(load.longestPauseMs / 1000).toFixed(1)} s` },
    { what: `Lost of ${count(load.acknowledged)} acknowledged writes`, figure: count(lost), bar: bars.lost, isMet: lost <= 0 },
    { what: 'Memory of the command', figure: mb(memory) },
  ]
}

async function fill(dataDir: string) {
  const sql = connectTo(socketPathOf(dataDir))
  for (let from = 1; from <= rowCount; from += rowsPerStatement)
    await sql.unsafe(
      `insert into data.items (number, note)
      select n, repeat(md5((n / 3)::text), 14) || md5(random()::text) || md5(random()::text)
      from generate_series(${from}, ${Math.min(rowCount, from + rowsPerStatement - 1)}) n`,
    )
  await sql.unsafe('vacuum analyze data.items')
  await sql.unsafe('checkpoint')
  await sql.end()
}

/** In bytes, of the tables and indexes, without the log. */
function diskUsage(dataDir: string): number {
  const { stdout } = spawnSync('du', ['-sb', `${dataDir}/postgres/base`], { encoding: 'utf8' })
  return Number.parseInt(stdout, 10)
}

const countRows = async ({ port, socketDir }: Postgres): Promise<number> => {
  const sql = connectTo(`${socketDir}/.s.PGSQL.${port}`, 1, 'moved')
  const [{ total }] = await sql.unsafe<[{ total: string }]>('select count(*) as total from data.items')
  await sql.end()
  return Number(total)
}
