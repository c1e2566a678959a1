import { expect, test } from 'bun:test'
import { isDrilling } from '../support/drill'
import { startService } from '../support/executable'
import { isAlive, postmasterPid, until } from '../support/processes'
import { startUsed } from '../support/used-data'
import { startWriteLoad, storedNumbers, type WriteLoad } from '../support/write-load'

/** Long enough that writes are under way in every stage when it strikes. */
const underWay = (load: WriteLoad, more = 300) => {
  const target = load.acknowledged.length + more
  return until('writes are acknowledged', () => load.acknowledged.length >= target)
}

const lost = (load: WriteLoad, stored: Set<number>) => load.acknowledged.filter((number) => !stored.has(number))

test('kill -9 of the service under writes: the next start, at once, finds every acknowledged record', async () => {
  await using first = await startUsed()
  const load = startWriteLoad(first.url, first.token)
  await underWay(load)
  const orphan = postmasterPid(first.dataDir)
  first.kill('SIGKILL')
  await first.exited
  await load.stop()
  await using second = await startService({ dataDir: first.dataDir })
  expect(postmasterPid(first.dataDir)).not.toBe(orphan)
  expect(isAlive(orphan)).toBe(false)
  expect(lost(load, await storedNumbers(second.url, first.token))).toEqual([])
})

test('kill -9 of the service: PostgreSQL ends by itself within 10 s', async () => {
  await using service = await startUsed()
  const load = startWriteLoad(service.url, service.token)
  await underWay(load)
  const orphan = postmasterPid(service.dataDir)
  expect(isAlive(orphan)).toBe(true)
  service.kill('SIGKILL')
  await until('the orphaned PostgreSQL has ended', () => !isAlive(orphan))
  await load.stop()
})

const callers = 8

test.each(isDrilling ? (['SIGKILL', 'SIGABRT', 'SIGQUIT'] as const) : (['SIGKILL'] as const))(
  '%s for PostgreSQL under writes: 503 until it is back, all that was acknowledged is there, and nothing that was answered as not done',
  async (signal) => {
    await using service = await startUsed()
    const load = startWriteLoad(service.url, service.token, callers)
    const outages: { first: number; last: number }[] = []
    for (let time = 0; time < 2; time++) {
      await underWay(load)
      const victim = postmasterPid(service.dataDir)
      const first = load.oldestPending()
      process.kill(victim, signal)
      await until('PostgreSQL has ended', () => !isAlive(victim))
      await underWay(load)
      outages.push({ first, last: load.sent })
      expect(postmasterPid(service.dataDir)).not.toBe(victim)
    }
    await underWay(load)
    await load.stop()
    expect(load.broken).toBe(0)
    const isUnknown = ({ code }: { code: string }) => code === 'outcome_unknown'
    const refused = load.refused.filter((answer) => !isUnknown(answer))
    // What was under way at the two ends or met a connection that was still to find out, and nothing that came later.
    const isInOutage = ({ number }: { number: number }) => outages.some(({ first, last }) => number >= first && number <= last)
    expect(load.refused.filter((answer) => isUnknown(answer) && !isInOutage(answer))).toEqual([])
    expect(refused.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) > 0))).toEqual([])
    expect(load.refused.filter(isUnknown).filter(({ status, retryAfter }) => status !== 503 || retryAfter !== null)).toEqual([])
    const stored = await storedNumbers(service.url, service.token)
    expect(lost(load, stored)).toEqual([])
    expect(refused.filter(({ number }) => stored.has(number))).toEqual([])
    expect(service.log.map(({ msg }) => msg)).toContain('PostgreSQL ended unexpectedly; starting it again')
  },
)

test('kill -9 of the service and of PostgreSQL together, as in a power cut: the next start finds every acknowledged record', async () => {
  await using first = await startUsed()
  const load = startWriteLoad(first.url, first.token)
  await underWay(load)
  process.kill(postmasterPid(first.dataDir), 'SIGKILL')
  first.kill('SIGKILL')
  await first.exited
  await load.stop()
  await using second = await startService({ dataDir: first.dataDir })
  expect(lost(load, await storedNumbers(second.url, first.token))).toEqual([])
})
