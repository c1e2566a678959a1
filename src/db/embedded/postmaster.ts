import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { writeWhole } from '../../ops/write-file'
import { withTimeout } from '../../timeout'
import { childEnvironment, commandAs } from './become'
import { databaseName, roleName } from './cluster'
import { readOwned } from './owned-file'
import { DataDirError, type DataDirPlace } from './place'
import { endLeftovers, isOurs } from './processes'
import { createServerLog } from './server-log'

/** A PostgreSQL server that we start, watch, restart when it dies, and stop. */
export type Postmaster = { stop: () => Promise<void> }

/** Crash recovery may take long; report at this interval that it is still running. */
const tellEveryMs = 10_000
const stopLimitMs = 15_000
const leftoverLimitMs = 10_000

export const socketTarget = ({ socketDir }: Pick<DataDirPlace, 'socketDir'>) => ({
  socketPath: join(socketDir, '.s.PGSQL.5432'),
  user: roleName,
  database: databaseName,
})

/** For connections to our own child: on a busy machine it may be slow to respond; a dead one refuses at once. */
export const patientConfig = (config: Config): Config => ({ ...config, databaseConnectTimeoutMs: 60_000 })

/**
 * @param settings `name=value`, which override those of any file
 * @throws Error with PostgreSQL's last words if it does not start
 */
export async function startPostmaster(
  place: DataDirPlace,
  runtime: string,
  events: Events,
  settings: readonly string[] = [],
): Promise<Postmaster> {
  const program = { file: join(runtime, 'bin/postgres'), settings }
  let isStopping = false
  let current = await launchFirst(place, program, events)
  watch(current.child)

  function watch(child: ChildProcess) {
    child.once('exit', (code, signal) => {
      if (isStopping) return
      void restart()
      events.emit({ kind: 'database_died', code, signal })
    })
  }

  async function restart(delayMs = 50): Promise<void> {
    if (isStopping) return
    try {
      current = launch(place, program, events)
      await current.ready
      watch(current.child)
      events.emit({ kind: 'database_back' })
    } catch (error) {
      if (!isStopping) events.emit({ kind: 'database_away', error, retryMs: delayMs })
      if (isHeldByOthers(error)) await endLeftovers(place)
      await Bun.sleep(delayMs)
      return restart(Math.min(delayMs * 2, 2000))
    }
  }

  return {
    stop: async () => {
      isStopping = true
      await end(current.child)
    },
  }
}

/**
 * After a kill -9 the old backends keep the shared memory until their computation ends; PostgreSQL refuses to start
 * until they are gone.
 */
const isHeldByOthers = (error: unknown) => /pre-existing shared memory/.test(String(error))

type Program = { file: string; settings: readonly string[] }

async function launchFirst(place: DataDirPlace, program: Program, events: Events) {
  for (const deadline = performance.now() + leftoverLimitMs; ; await Bun.sleep(100)) {
    const launched = launch(place, program, events)
    try {
      await launched.ready
      return launched
    } catch (error) {
      if (!isHeldByOthers(error) || performance.now() > deadline) throw error
      await endLeftovers(place)
    }
  }
}

function launch(place: DataDirPlace, { file, settings }: Program, events: Events) {
  takeOverLockFiles(place)
  const [command = '', ...args] = commandAs(place.owner, file, [
    ...['-D', place.clusterDir, '-c', `config_file=${join(place.confDir, 'postgresql.conf')}`],
    ...settings.flatMap((setting) => ['-c', setting]),
  ])
  // Detached, so that Ctrl-C in a terminal reaches only the service: requests are drained before the database stops.
  const child = spawn(command, args, { cwd: place.dataDir, env: childEnvironment(), stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  const lastLines: string[] = []
  const read = createServerLog()
  // There is no memory for another process, or the executable is gone. This is treated like a server that ended at
  // once.
  child.once('error', (error) => void lastLines.push(error.message))
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      lastLines.push(line)
      if (lastLines.length > 20) lastLines.shift()
      const told = read(line)
      if (told) events.emit({ kind: 'database_log', ...told })
    }
  })
  return { child, ready: untilReady(place, child, lastLines, events) }
}

/**
 * PostgreSQL writes `ready` to the eighth line of its pid file; reading that is cheaper than trying to connect. Waits
 * as long as the process lives: ending it would only restart its recovery.
 */
async function untilReady(place: DataDirPlace, child: ChildProcess, lastLines: string[], events: Events) {
  for (let tellAt = performance.now() + tellEveryMs; ; await Bun.sleep(5)) {
    if (hasEnded(child)) throw new DataDirError(`PostgreSQL did not start: ${lastLines.join(' ')}`)
    const lines = readPidFile(place)
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return
    if (performance.now() < tellAt) continue
    events.emit({ kind: 'progress', message: 'PostgreSQL is still starting (it may be recovering from a crash)' })
    tellAt = performance.now() + tellEveryMs
  }
}

/** A child without a process id was never started. */
const hasEnded = (child: ChildProcess) => child.pid === undefined || child.exitCode !== null || child.signalCode !== null

const readPidFile = ({ clusterDir, owner }: DataDirPlace): string[] =>
  readOwned(join(clusterDir, 'postmaster.pid'), owner)?.split('\n') ?? []

async function end(child: ChildProcess) {
  if (hasEnded(child)) return
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  // Fast shutdown: sessions are ended, committed data is safe (PostgreSQL's manual, 18.5).
  child.kill('SIGINT')
  if (await within(exited, stopLimitMs)) return
  child.kill('SIGQUIT')
  if (await within(exited, 5000)) return
  child.kill('SIGKILL')
  await within(exited, 5000)
}

const within = (done: Promise<void>, limitMs: number) =>
  withTimeout(
    done.then(() => true),
    limitMs,
    () => false,
  )

/**
 * Ends a server that an earlier run left running. The caller holds the data directory's lock, so no process owns it. It
 * is stopped rather than adopted: only our own child can be watched, and a start takes a tenth of a second.
 */
export async function stopOrphan(place: DataDirPlace) {
  const pid = Number(readPidFile(place)[0])
  if (!Number.isInteger(pid) || pid <= 1 || !isOurs(pid, place)) return
  process.kill(pid, 'SIGINT')
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    const deadline = performance.now() + 10_000
    while (performance.now() < deadline) {
      if (!isOurs(pid, place)) return
      await Bun.sleep(20)
    }
    process.kill(pid, signal)
  }
}

/**
 * PostgreSQL refuses to start while a process of its user, even a zombie, has the process id in one of its lock files.
 * It ignores its parent's process id, so it starts when the file holds ours. It still reads the key of the shared
 * memory from the same file and finds old backends by it. No other server can start here: we hold the data directory's
 * lock.
 */
function takeOverLockFiles(place: DataDirPlace) {
  const { clusterDir, socketDir, owner } = place
  rmSync(join(socketDir, '.s.PGSQL.5432.lock'), { force: true })
  const path = join(clusterDir, 'postmaster.pid')
  const [, , startedAt = '', port = '', , , sharedMemory = ''] = readPidFile(place)
  // Half-written after a full disk or a power failure, or not a pid file at all: nothing in it is usable.
  if (!/^\d+$/.test(startedAt) || !/^\d+$/.test(port) || !/^\s*\d+\s+\d+\s*$/.test(sharedMemory)) return rmSync(path, { force: true })
  // Only numbers are carried over: PostgreSQL's user owns the file and may have written any word in it.
  writeWhole(path, `${[process.pid, clusterDir, startedAt, port, '', '', sharedMemory].join('\n')}\n`, { owner })
}
