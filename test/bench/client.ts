import type { Measured, Request, Statement } from './load'
import { percentiles } from './percentiles'
import { connectTo } from './socket'

/**
 * The load generator where there is no wrk, and the reference:
 * `client.ts <in flight> <seconds> http <request> | sql <statement>`.
 */
const [inFlight = '16', seconds = '3', kind, task = ''] = process.argv.slice(2)

/** Stand in a URL, a header or a body for a key, an age and a cursor that are others in each request. */
export const keyMark = 'SOME_KEY'
export const ageMark = 'SOME_AGE'
export const cursorMark = 'SOME_CURSOR'
/** Up to here at least half of the contacts pass `age=gte.`. */
export const maxAge = 40
const someKey = (keys: number) => String(1 + Math.floor(Math.random() * keys))

function http({ keys = 1, cursors = [], ...request }: Request) {
  const text = JSON.stringify(request)
  const some = (value: string) =>
    value
      .replaceAll(keyMark, () => someKey(keys))
      .replaceAll(ageMark, () => someKey(maxAge))
      .replaceAll(cursorMark, () => cursors[Math.floor(Math.random() * cursors.length)]!)
  return async () => {
    const { url, ...init }: Request = JSON.parse(some(text))
    const response = await fetch(url, init)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  }
}

function sql({ socketPath, statement, keys }: Statement) {
  const client = connectTo(socketPath, 10)
  return async () => {
    const found = await client.unsafe(statement, [someKey(keys)], { prepare: true })
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
  return { perSecond, ...percentiles(durations) }
}

if (import.meta.main) {
  console.log(JSON.stringify(await repeat(kind === 'sql' ? sql(JSON.parse(task)) : http(JSON.parse(task)))))
  process.exit(0)
}
