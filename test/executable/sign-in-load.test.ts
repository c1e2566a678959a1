import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { call } from '../support/executable'
import { tally } from '../support/guess'
import { head, type RawAnswer, sendRaw } from '../support/raw'
import { administrator, startUsed } from '../support/used-data'

const many = 300
const hashMib = 19
const concurrency = Math.min(4, availableParallelism())

/** Of the process alone, in MiB. */
function residentMib(pid: number): number {
  if (process.platform === 'linux') return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
  return Number(Bun.spawnSync(['ps', '-o', 'rss=', '-p', String(pid)]).stdout) / 1024
}

test('three hundred sign-ins at once: everybody else is served, memory stays, and who is too many hears it', async () => {
  await using service = await startUsed({ environment: { TRUSTED_PROXIES: '127.0.0.1' } })
  const { url, token, pid } = service
  // A connection of its own for each: `fetch` would hold some of them back.
  const signIn = (index: number): Promise<RawAnswer> => {
    const known = index % 2 === 0
    const body = JSON.stringify({ ...administrator, ...(known ? {} : { email: `user${index}@example.org` }) })
    const headers: [string, string][] = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
      ['X-Forwarded-For', `10.0.${index >> 8}.${index & 255}`],
    ]
    return sendRaw(url, head('POST', '/auth/login', headers) + body)
  }
  await Promise.all(Array.from({ length: 20 }, (_, index) => signIn(1000 + index)))
  const before = residentMib(pid)

  const served: Record<string, number> = { '/healthz': 0, '/auth/me': 0, '/api/v1/tables': 0 }
  let [peak, isWanted] = [before, true]
  const probes = Object.keys(served).map(async (path) => {
    while (isWanted) {
      expect((await call(url + path, path === '/healthz' ? {} : { token })).status).toBe(200)
      served[path]!++
      peak = Math.max(peak, residentMib(pid))
      await Bun.sleep(2)
    }
  })
  // Beside the sign-ins, not after them. docs/performance.md says how soon.
  const areServed = () => Object.values(served).every((count) => count > 20)
  const answers: RawAnswer[] = []
  const clients = Array.from({ length: many }, async (_, index) => {
    for (let time = 0; time < 3 || !areServed(); time++) {
      const answer = await signIn(time * many + index)
      answers.push(answer)
      if (answer.status === 503) await Bun.sleep(300)
    }
  })
  await Promise.all(clients)
  isWanted = false
  await Promise.all(probes)

  const statuses = tally(answers.map(({ status }) => status))
  expect(Object.keys(statuses).every((status) => ['200', '401', '503'].includes(status))).toBe(true)
  // How many of each depends on how fast the machine hashes.
  for (const status of [200, 401, 503]) expect(statuses[status]).toBeGreaterThan(0)
  for (const { headers } of answers.filter(({ status }) => status === 503)) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  expect(peak - before).toBeLessThan(concurrency * hashMib + 96)
})
