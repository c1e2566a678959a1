import { readdirSync, readFileSync } from 'node:fs'
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

/** Each initdb at work below a folder, with the folder that it fills. On Linux. */
export const findInitdb = (parent: string): { pid: number; folder: string }[] =>
  processes().flatMap((pid) => {
    const [program = '', ...args] = commandOf(pid)
    const folder = args[args.indexOf('-D') + 1] ?? ''
    return program.endsWith('/bin/initdb') && folder.startsWith(`${parent}/`) ? [{ pid: Number(pid), folder }] : []
  })

function commandOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    // It has ended meanwhile.
    return []
  }
}

const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

/** The children of a process, or those of them whose command has a word. On Linux. */
export const childrenOf = (parent: number, word?: string): number[] =>
  processes()
    .filter((pid) => !word || commandOf(pid).includes(word))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)

/** The process of a postmaster that PostgreSQL calls `name`, such as `background writer`. On Linux. */
export const processOf = (postmaster: number, name: string): number | undefined =>
  processes()
    .filter((pid) => commandOf(pid)[0]?.startsWith(`postgres: ${name}`))
    .map(Number)
    .find((pid) => parentOf(pid) === postmaster)

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^\d+ \(.*\) \w (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}

export const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

/** Whether PostgreSQL ended as it should: `pg_control` says "shut down" (1), not "in production" (6). */
export const wasShutDown = (dataDir: string): boolean => readFileSync(join(dataDir, 'postgres/global/pg_control')).readUInt32LE(16) === 1

/**
 * Ends what hangs, and measures nothing: a busy machine takes many times as long as a quiet one. `TEST_HANG_MS` makes a
 * first look at new tests end sooner.
 */
export const hangMs = Number(process.env.TEST_HANG_MS ?? 540_000)

/**
 * @param ended of the process that is to bring it about
 * @throws Error naming `what` when it does not become true, or the process ends before
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, ended?: Promise<number | string>): Promise<void> {
  const startedAt = performance.now()
  let end: number | string | null = null
  void ended?.then((code) => {
    end = code
  })
  for (;;) {
    // What it did last may be what is waited for.
    const hasEnded = end !== null
    if (await isSo()) return
    if (hasEnded) throw new Error(`It ended with ${end}, and still not: ${what}`)
    if (performance.now() - startedAt > hangMs) throw new Error(`After ${hangMs / 1000} s still not: ${what}`)
    await Bun.sleep(10)
  }
}
