import { call } from './executable'

/** The outcome of the writes. `acknowledged` are the numbers whose insert was answered with 201. */
export type WriteLoad = {
  acknowledged: number[]
  /** All other responses. */
  refused: { number: number; status: number; code: string; retryAfter: string | null }[]
  /** How many were sent; records that are sent later have greater numbers. */
  sent: number
  /** The smallest number that is not yet answered: a slow request may be much older than the others. */
  oldestPending: () => number
  /** Requests whose connection broke, which happens only when the service itself is killed. */
  broken: number
  stop: () => Promise<void>
}

/**
 * Inserts numbered records into `items` with several concurrent callers, as fast as they are answered.
 * @param offset is the number before the first one
 */
export function startWriteLoad(url: string, token: string, callers = 8, offset = 0): WriteLoad {
  let isWanted = true
  const pending = new Set<number>()
  const load: WriteLoad = {
    acknowledged: [],
    refused: [],
    sent: offset,
    broken: 0,
    oldestPending: () => Math.min(load.sent + 1, ...pending),
    stop,
  }
  const callersDone = Promise.all(Array.from({ length: callers }, insertRepeatedly))

  async function insertRepeatedly() {
    while (isWanted) {
      const number = ++load.sent
      pending.add(number)
      try {
        const response = await call(`${url}/api/v1/tables/items/records`, { token, body: { number, note: 'x'.repeat(100) } })
        const { status, headers } = response
        const { code } = (await response.json()) as { code: string }
        pending.delete(number)
        if (status === 201) load.acknowledged.push(number)
        else load.refused.push({ number, status, code, retryAfter: headers.get('retry-after') })
        // Behaves like a well-written script, and avoids a busy loop during an outage.
        if (status !== 201) await Bun.sleep(20)
      } catch {
        pending.delete(number)
        load.broken++
        await Bun.sleep(20)
      }
    }
  }

  async function stop() {
    isWanted = false
    await callersDone
  }

  return load
}

/** Reads all of `items` page by page. @returns the numbers found */
export async function storedNumbers(url: string, token: string): Promise<Set<number>> {
  const found = new Set<number>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = cursor ? `&cursor=${cursor}` : ''
    const response = await call(`${url}/api/v1/tables/items/records?limit=10000${query}`, { token })
    const page = (await response.json()) as { records: { number: number | string }[]; nextCursor: string | null }
    for (const { number } of page.records) found.add(Number(number))
    cursor = page.nextCursor
  }
  return found
}
