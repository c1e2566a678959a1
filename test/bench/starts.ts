import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { call, newFolder, startService } from '../support/executable'
import { median } from './table'

/** From the launch of the process to the first good answer of /readyz, on an empty folder and on a used one. */
export async function measureStarts(times = 5): Promise<{ coldMs: number; warmMs: number }> {
  const [cold, warm]: [number[], number[]] = [[], []]
  for (let time = 0; time < times; time++) {
    const dataDir = join(newFolder(), 'data')
    cold.push(await startOnce(dataDir))
    warm.push(await startOnce(dataDir))
    rmSync(dataDir, { recursive: true })
  }
  return { coldMs: median(cold), warmMs: median(warm) }
}

async function startOnce(dataDir: string): Promise<number> {
  const startedAt = performance.now()
  await using service = await startService({ dataDir })
  const { status } = await call(`${service.url}/readyz`)
  if (status !== 200) throw new Error(`/readyz answered ${status}`)
  return performance.now() - startedAt
}
