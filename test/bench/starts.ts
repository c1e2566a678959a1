import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { call, newFolder, startService } from '../support/executable'
import { setUp } from '../support/used-data'
import { memoryOf } from './memory'
import { mb, median, ms, type Row } from './table'

const times = 5

/**
 * From the launch of the process to the first good answer of /readyz, on an empty folder and on a used one; memory when
 * nothing goes on.
 */
export async function measureStarts(): Promise<Row[]> {
  const [cold, warm]: [number[], number[]] = [[], []]
  for (let time = 0; time < times; time++) {
    const dataDir = join(newFolder(), 'data')
    cold.push(await startOnce(dataDir))
    warm.push(await startOnce(dataDir))
    rmSync(dataDir, { recursive: true })
  }
  const [coldMs, warmMs, idle] = [median(cold), median(warm), await idleBytes()]
  return [
    { what: 'Start on an empty folder', figure: ms(coldMs), bar: '≤ 2 s', isMet: coldMs <= 2000 },
    { what: 'Start on a used folder', figure: ms(warmMs), bar: '≤ 0.7 s', isMet: warmMs <= 700 },
    { what: 'Idle memory, PostgreSQL and service', figure: mb(idle), bar: '≤ 200 MB', isMet: idle <= 200 * 2 ** 20 },
  ]
}

async function startOnce(dataDir: string): Promise<number> {
  const startedAt = performance.now()
  await using service = await startService({ dataDir })
  const { status } = await call(`${service.url}/readyz`)
  if (status !== 200) throw new Error(`/readyz answered ${status}`)
  return performance.now() - startedAt
}

async function idleBytes(): Promise<number> {
  await using service = await startService()
  await setUp(service)
  await Bun.sleep(5000)
  return process.platform === 'linux' ? memoryOf(service.pid) : Number.NaN
}
