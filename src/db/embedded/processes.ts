import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { DataDirPlace } from './place'

const endLimitMs = 5000

/**
 * Process ids are reused, and an operator's shell may be in this folder: only a PostgreSQL of ours, run by its user in
 * this very folder, counts.
 */
export function isOurs(pid: number, place: DataDirPlace): boolean {
  if (process.platform !== 'linux') return commandOf(pid).includes(place.clusterDir)
  return runsIn(pid, place, (program, folder) => program === 'postgres' && folder === place.clusterDir)
}

/**
 * Whether the process is a program of our PostgreSQL, run by its user, with a matching folder; false after it has
 * ended.
 */
function runsIn(pid: number, { runtimeDir, owner }: DataDirPlace, isWanted: (program: string, folder: string) => boolean): boolean {
  const entry = `/proc/${pid}`
  // For a folder that was removed since, such as that of a replaced version, the kernel appends this to the name.
  const read = (link: string) => readlinkSync(`${entry}/${link}`).replace(/ \(deleted\)$/, '')
  try {
    const program = read('exe')
    return (
      program.startsWith(`${runtimeDir}/`) &&
      isWanted(basename(program), read('cwd')) &&
      statSync(entry).uid === (owner?.uid ?? process.getuid?.())
    )
  } catch {
    return false
  }
}

const commandOf = (pid: number) => Bun.spawnSync(['ps', '-o', 'command=', '-p', String(pid)]).stdout.toString()

/**
 * Ends the backends that outlived their postmaster. A computing backend does not notice that the postmaster is gone,
 * and PostgreSQL does not start while a backend has the shared memory. The caller holds the data directory's lock and
 * has no postmaster. Linux only: elsewhere the folder of a backend cannot be read.
 */
export const endLeftovers = (place: DataDirPlace): Promise<void> => end((pid) => isOurs(pid, place), ['SIGQUIT', 'SIGKILL'])

/**
 * Ends an initdb that outlived the process that started it, and the PostgreSQL that it runs. Nobody needs their result.
 * The caller holds the data directory's lock. Linux only: elsewhere they finish by themselves.
 */
export const endInitdb = (place: DataDirPlace): Promise<void> =>
  end(
    (pid) =>
      runsIn(pid, place, (program, folder) =>
        program === 'postgres' ? folder.startsWith(`${place.clusterDir}.new`) : program === 'initdb' && folder === place.dataDir,
      ),
    ['SIGKILL'],
  )

async function end(isLeft: (pid: number) => boolean, signals: readonly NodeJS.Signals[]) {
  if (process.platform !== 'linux') return
  const left = () =>
    readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 1 && isLeft(pid))
  for (const signal of signals) {
    const deadline = performance.now() + endLimitMs
    for (let pids = left(); pids.length > 0 && performance.now() < deadline; pids = left()) {
      // Read again each time: a process that was about to become such a process may have done so.
      for (const pid of pids) signalTo(pid, signal)
      await Bun.sleep(20)
    }
  }
}

function signalTo(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended meanwhile.
  }
}
