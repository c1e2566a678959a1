import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { DataDirPlace } from './place'

const endLimitMs = 5000

/**
 * Process ids are used again, and an operator's shell may stand in the folder: only a PostgreSQL of ours, run by its
 * user in this very folder, is one.
 */
export function isOurs(pid: number, { clusterDir, runtimeDir, owner }: DataDirPlace): boolean {
  try {
    if (process.platform !== 'linux') return commandOf(pid).includes(clusterDir)
    const entry = `/proc/${pid}`
    // The folder of a version that was replaced since is gone, which the kernel says behind the name.
    const program = readlinkSync(`${entry}/exe`).replace(/ \(deleted\)$/, '')
    return (
      readlinkSync(`${entry}/cwd`) === clusterDir &&
      program.startsWith(`${runtimeDir}/`) &&
      basename(program) === 'postgres' &&
      statSync(entry).uid === (owner?.uid ?? process.getuid?.())
    )
  } catch {
    return false
  }
}

const commandOf = (pid: number) => Bun.spawnSync(['ps', '-o', 'command=', '-p', String(pid)]).stdout.toString()

/**
 * Ends the backends that outlived their postmaster. One that computes does not notice that it is gone, and PostgreSQL
 * does not start while one of them has the shared memory. The caller holds the data directory's lock and has no
 * postmaster. On Linux; elsewhere the folder of a backend cannot be told.
 */
export async function endLeftovers(place: DataDirPlace): Promise<void> {
  if (process.platform !== 'linux') return
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of leftovers(place)) signalTo(pid, signal)
    for (const deadline = Date.now() + endLimitMs; leftovers(place).length > 0 && Date.now() < deadline; ) await Bun.sleep(20)
  }
}

const leftovers = (place: DataDirPlace): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && isOurs(pid, place))

function signalTo(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}
