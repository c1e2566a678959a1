import postgres from 'postgres'
import type { Measured, Request } from './load'

/** The load generator where there is no wrk, and the reference: `client.ts <in flight> <seconds> http <request> | sql <socket> <statement>`. */
const [inFlight = '16', seconds = '3', kind, ...rest] = process.argv.slice(2)

/** Keys that the benchmark has filled in. */
export const rows = 10_000
/** Stands in an address, a header or a body for a key that is another one in each request. */
export const keyMark = 'SOME_KEY'
const someKey = () => String(1 + Math.floor(Math.random() * rows))

function http(request: Request) {
  const text = JSON.stringify(request)
  return async () => {
    const { url, ...init }: Request = JSON.parse(text.replaceAll(keyMark, someKey))
    const response = await fetch(url, init)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  }
}

function sql(path: string, statement: string) {
  const client = postgres({ path, user: 'rowhouse', database: 'rowhouse', max: 10, fetch_types: false })
  return async () => {
    const found = await client.unsafe(statement, [someKey()], { prepare: true })
    if (found.length !== 1) throw new Error('The record is not there.')
  }
}

async function repeat(once: () => Promise<void>): Promise<Measured> {
  for (let time = 0; time < 50; time++) await once()
  const durations: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + Number(seconds) * 1000
  const caller = async () => {
    for (let begin = performance.now(); begin < endsAt; begin = performance.now()) {
      await once()
      durations.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: Number(inFlight) }, caller))
  const perSecond = durations.length / ((performance.now() - startedAt) / 1000)
  durations.sort((a, b) => a - b)
  const at = (share: number) => durations[Math.floor(durations.length * share)] ?? Number.NaN
  return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99) }
}

if (import.meta.main) {
  const once = kind === 'sql' ? sql(rest[0] ?? '', rest[1] ?? '') : http(JSON.parse(rest[0] ?? ''))
  console.log(JSON.stringify(await repeat(once)))
  process.exit(0)
}
