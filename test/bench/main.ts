import { join } from 'node:path'
import { wholePlan } from '../../src/records/query/plan'
import { recordByKey } from '../../src/records/query/sql-keys'
import type { Table } from '../../src/tables/model'
import { call, cleanUp, type Service, startService } from '../support/executable'
import { setUp } from '../support/used-data'
import { keyMark, rows } from './client'
import { inFlight, type Measured, measure, measureStatement } from './load'
import { memoryOf } from './memory'
import { measureStarts } from './starts'
import { count, median, ms, type Row, table } from './table'

const rounds = 3

try {
  console.log(await bench())
} finally {
  cleanUp()
}

async function bench(): Promise<string> {
  const { coldMs, warmMs } = await measureStarts()
  await using service = await startService()
  const token = await setUp(service)
  await Bun.sleep(5000)
  const idleMb = process.platform === 'linux' ? memoryOf(service.pid) / 2 ** 20 : Number.NaN
  await fill(service, token)
  const results = await measureRounds(service, token)
  const reference = results.reference.perSecond
  const rate = (what: string, { perSecond, p50Ms, p99Ms }: Measured, more: Partial<Row> = {}): Row => {
    const ratio = `${Math.round((perSecond / reference) * 100)} %`
    return { what, figure: `${count(perSecond)}/s`, p50: ms(p50Ms), p99: ms(p99Ms), ratio, ...more }
  }
  return table([
    { what: 'Start on an empty folder', figure: ms(coldMs), bar: '≤ 2 s', isMet: coldMs <= 2000 },
    { what: 'Start on a used folder', figure: ms(warmMs), bar: '≤ 0.7 s', isMet: warmMs <= 700 },
    { what: 'Idle memory, PostgreSQL and service', figure: `${Math.round(idleMb)} MB`, bar: '≤ 200 MB', isMet: idleMb <= 200 },
    rate(`Reference: read by key, postgres.js, ${inFlight} in flight`, results.reference),
    rate('GET /healthz', results.health),
    rate('GET one record by key, Bearer', results.read, { bar: '≥ 35 %', isMet: results.read.perSecond >= 0.35 * reference }),
    rate('POST one record, Bearer', results.insert),
  ])
}

/** One after the other in each round, so that a slow moment of the machine falls on all of them. */
async function measureRounds({ url, dataDir }: Service, token: string) {
  const records = `${url}/api/v1/tables/items/records`
  const { table: items } = { table: (await (await call(`${url}/api/v1/tables/items`, { token })).json()) as Table }
  const authorization = `Bearer ${token}`
  const kinds = {
    reference: () => measureStatement(join(dataDir, 'run/.s.PGSQL.5432'), recordByKey(wholePlan(items), ['1']).text),
    health: () => measure({ url: `${url}/healthz` }),
    read: () => measure({ url: `${records}/${keyMark}`, headers: { authorization } }),
    insert: () =>
      measure({
        url: records,
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{"number":1,"note":"bench"}',
      }),
  }
  const measured = { reference: [], health: [], read: [], insert: [] } as Record<keyof typeof kinds, Measured[]>
  for (let round = 0; round < rounds; round++) {
    for (const [name, once] of Object.entries(kinds) as [keyof typeof kinds, () => Promise<Measured>][]) measured[name].push(await once())
  }
  const middle = (values: Measured[]): Measured => ({
    perSecond: median(values.map(({ perSecond }) => perSecond)),
    p50Ms: median(values.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(values.map(({ p99Ms }) => p99Ms)),
  })
  return Object.fromEntries(Object.entries(measured).map(([name, values]) => [name, middle(values)])) as Record<
    keyof typeof kinds,
    Measured
  >
}

async function fill({ url }: Service, token: string) {
  const body = Array.from({ length: rows }, (_, index) => ({ number: index, note: `record ${index}` }))
  for (let start = 0; start < rows; start += 1000) {
    const answer = await call(`${url}/api/v1/tables/items/records`, { token, body: body.slice(start, start + 1000) })
    if (answer.status !== 201) throw new Error(`Filling in records answered ${answer.status}: ${await answer.text()}`)
  }
}
