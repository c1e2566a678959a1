import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A process that has ended but has not been waited for (a zombie, in a container without an init) counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return true
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** Every running initdb below a folder, with the folder that it fills. Linux only. */
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

/** The children of a process, or only those whose command contains a word. Linux only. */
export const childrenOf = (parent: number, word?: string): number[] =>
  processes()
    .filter((pid) => !word || commandOf(pid).includes(word))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)

/** The process of a postmaster that PostgreSQL calls `name`, such as `background writer`. Linux only. */
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

/** Whether PostgreSQL shut down cleanly: `pg_control` says "shut down" (1), not "in production" (6). */
export const wasShutDown = (dataDir: string): boolean => readFileSync(join(dataDir, 'postgres/global/pg_control')).readUInt32LE(16) === 1

/**
 * The limit after which work counts as hanging. It does not measure speed, since a busy machine takes many times as
 * long as an idle one. `TEST_HANG_MS` shortens it for the first runs of new tests.
 */
export const hangMs = Number(process.env.TEST_HANG_MS ?? 540_000)

/**
 * @param ended of the process that should make it true
 * @throws Error naming `what` if it does not become true or the process ends first
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, ended?: Promise<number | string>): Promise<void> {
  const startedAt = performance.now()
  let end: number | string | null = null
  void ended?.then((code) => {
    end = code
  })
  for (;;) {
    // The last action of the process may be the expected one.
    const hasEnded = end !== null
    if (await isSo()) return
    if (hasEnded) throw new Error(`It ended with ${end}, and still not: ${what}`)
    if (performance.now() - startedAt > hangMs) throw new Error(`After ${hangMs / 1000} s still not: ${what}`)
    await Bun.sleep(10)
  }
}
