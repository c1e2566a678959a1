import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { call, type Service, startService } from '../support/executable'
import { administrator, cookieOf, setUp } from '../support/used-data'
import { keyMark } from './client'
import { type Measured, measure } from './load'
import { fill, keys } from './requests'
import { measureSignIns, startWithPeople } from './sign-in'
import { count, median, ms, percent, type Row } from './table'

const rounds = 5

/**
 * What finding out who calls costs: a read by each transport beside one whose caller is known, and sign-ins beside bare
 * argon2.
 */
export async function measureAuthentication(): Promise<Row[]> {
  const reads = await benchReads()
  const widths = [...new Set([1, Math.min(4, availableParallelism())])]
  const signIns: Row[] = []
  for (const width of widths) signIns.push(...(await benchSignIns(width)))
  return [...reads, ...signIns]
}

async function benchReads(): Promise<Row[]> {
  await using service = await startService()
  const token = await setUp(service)
  await fill(service, token)
  const cookie = cookieOf(await call(`${service.url}/auth/login`, { body: administrator }))
  const [known, asked] = [await startApp(service, token, 'known'), await startApp(service, token, 'asked')]
  const record = (url: string) => `${url}/api/v1/tables/items/records/${keyMark}`
  const authorization = `Bearer ${token}`
  try {
    const taken = await inTurn({
      known: () => measure({ url: record(known.url), headers: { authorization }, keys }),
      bearer: () => measure({ url: record(asked.url), headers: { authorization }, keys }),
      query: () => measure({ url: `${record(asked.url)}?token=${token}`, keys }),
      cookie: () => measure({ url: record(asked.url), headers: { cookie }, keys }),
    })
    const share = (kind: keyof typeof taken) => median(taken[kind].map(({ perSecond }, round) => perSecond / taken.known[round]!.perSecond))
    const bar = { bar: '≥ 85 %', isMet: share('bearer') >= 0.85 }
    return [
      row('Reference: GET one record by key, caller known', taken.known, 1),
      row('GET one record by key, Bearer', taken.bearer, share('bearer'), bar),
      row('GET one record by key, ?token=', taken.query, share('query')),
      row('GET one record by key, cookie', taken.cookie, share('cookie')),
    ]
  } finally {
    for (const app of [known, asked]) app.stop()
  }
}

/** Each of them once in every round, so that a slow moment of the machine falls on all alike. */
async function inTurn<Kind extends string>(kinds: Record<Kind, () => Promise<Measured>>): Promise<Record<Kind, Measured[]>> {
  const names = Object.keys(kinds) as Kind[]
  const taken = Object.fromEntries(names.map((name) => [name, [] as Measured[]])) as Record<Kind, Measured[]>
  for (const name of names) await kinds[name]()
  for (let round = 0; round < rounds; round++) for (const name of names) taken[name].push(await kinds[name]())
  return taken
}

async function benchSignIns(width: number): Promise<Row[]> {
  await using service = await startWithPeople(width)
  // The first ones find nothing prepared and nothing compiled.
  await measureSignIns(service, width)
  const taken: { signIns: Measured; bare: number }[] = []
  for (let round = 0; round < rounds; round++) taken.push(await measureSignIns(service, width))
  const share = median(taken.map(({ signIns, bare }) => signIns.perSecond / bare))
  const threads = `${width} ${width === 1 ? 'thread' : 'threads'}`
  const bare = median(taken.map((round) => round.bare))
  const signIns = taken.map((round) => round.signIns)
  return [
    { what: `Reference: argon2 alone, ${threads}`, figure: `${count(bare)}/s`, ratio: '100 %' },
    row(`POST /auth/login, ${threads}`, signIns, share, { bar: '≥ 85 %', isMet: share >= 0.85 }),
  ]
}

function row(what: string, taken: Measured[], share: number, more: Partial<Row> = {}): Row {
  const middle = (pick: (measured: Measured) => number) => median(taken.map(pick))
  return {
    what,
    figure: `${count(middle(({ perSecond }) => perSecond))}/s`,
    p50: ms(middle(({ p50Ms }) => p50Ms)),
    p99: ms(middle(({ p99Ms }) => p99Ms)),
    ratio: percent(share),
    ...more,
  }
}

async function startApp({ dataDir }: Service, token: string, kind: 'asked' | 'known'): Promise<{ url: string; stop: () => void }> {
  const socketPath = join(dataDir, 'run/.s.PGSQL.5432')
  const child = Bun.spawn(['bun', join(import.meta.dir, 'known-caller.ts'), socketPath, token, kind], { stdout: 'pipe', stderr: 'inherit' })
  const { value } = await child.stdout.getReader().read()
  return { url: new TextDecoder().decode(value).trim(), stop: () => child.kill() }
}
