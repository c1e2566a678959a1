import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A process that has ended but that nobody has waited for (a zombie, in a container without an init) counts as gone.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return true
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

export const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

/** Whether PostgreSQL ended as it should: `pg_control` says "shut down" (1), not "in production" (6). */
export const wasShutDown = (dataDir: string): boolean => readFileSync(join(dataDir, 'postgres/global/pg_control')).readUInt32LE(16) === 1

/** Ends what hangs, and measures nothing: a busy machine takes many times as long as a quiet one. */
export const hangMs = 120_000

/** @throws Error naming `what` when it does not become true */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  while (!(await isSo())) {
    if (performance.now() - startedAt > hangMs) throw new Error(`After ${hangMs / 1000} s still not: ${what}`)
    await Bun.sleep(10)
  }
}
