import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Events } from '../../ops/events'
import { childEnvironment, commandAs } from './become'
import { databaseName, roleName } from './cluster'
import type { Place } from './place'

/** A PostgreSQL server that is ours: started, watched, started again when it dies, stopped. */
export type Postmaster = { stop: () => Promise<void>; pid: () => number | undefined }

const startLimitMs = 60_000
const stopLimitMs = 15_000
const leftoverLimitMs = 10_000

export const socketTarget = ({ socketDir }: Place) => ({
  socketPath: join(socketDir, '.s.PGSQL.5432'),
  user: roleName,
  database: databaseName,
})

/** @throws Error with PostgreSQL's last words when it does not come up. */
export async function startPostmaster(place: Place, runtime: string, events: Events): Promise<Postmaster> {
  let isStopping = false
  let current = await launchFirst(place, runtime, events)
  watch(current.child)

  function watch(child: ChildProcess) {
    child.once('exit', (code, signal) => {
      if (isStopping) return
      events.emit({ kind: 'database_died', code, signal })
      void restart()
    })
  }

  async function restart(delayMs = 50): Promise<void> {
    if (isStopping) return
    try {
      current = launch(place, runtime, events)
      await current.ready
      watch(current.child)
      events.emit({ kind: 'database_back' })
    } catch (error) {
      // After a kill -9 the old backends hold the shared memory for a moment more.
      if (!isStopping) events.emit({ kind: 'database_away', error, retryMs: delayMs })
      await Bun.sleep(delayMs)
      return restart(Math.min(delayMs * 2, 2000))
    }
  }

  return {
    pid: () => current.child.pid,
    stop: async () => {
      isStopping = true
      await end(current.child)
    },
  }
}

/** Right behind a kill -9 the old backends hold the shared memory for a moment more; PostgreSQL refuses to start until they are gone. */
async function launchFirst(place: Place, runtime: string, events: Events) {
  for (const deadline = Date.now() + leftoverLimitMs; ; await Bun.sleep(100)) {
    const launched = launch(place, runtime, events)
    try {
      await launched.ready
      return launched
    } catch (error) {
      if (!/pre-existing shared memory/.test(String(error)) || Date.now() > deadline) throw error
    }
  }
}

function launch(place: Place, runtime: string, events: Events) {
  takeOverLockFiles(place)
  const [command = '', ...args] = commandAs(place.owner, join(runtime, 'bin/postgres'), ['-D', place.clusterDir])
  // Detached, so that Ctrl-C in a terminal reaches only us: requests are drained before the database goes.
  const child = spawn(command, args, { cwd: place.dataDir, env: childEnvironment(), stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  const lastLines: string[] = []
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      lastLines.push(line)
      if (lastLines.length > 20) lastLines.shift()
      events.emit({ kind: 'database_log', line, severe: /^(FATAL|PANIC)/.test(line) })
    }
  })
  return { child, ready: untilReady(place, child, lastLines) }
}

/** PostgreSQL writes `ready` into the eighth line of its pid file; reading that is cheaper than trying to connect. */
async function untilReady({ clusterDir }: Place, child: ChildProcess, lastLines: string[]) {
  const deadline = Date.now() + startLimitMs
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`PostgreSQL did not start: ${lastLines.join(' ')}`)
    const lines = readPidFile(clusterDir)
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return
    await Bun.sleep(5)
  }
  child.kill('SIGQUIT')
  throw new Error(`PostgreSQL was not ready after ${startLimitMs / 1000} s. ${lastLines.join(' ')}`)
}

function readPidFile(clusterDir: string): string[] {
  try {
    return readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  // Fast shutdown: sessions are ended, what was committed is safe (PostgreSQL's manual, 18.5).
  child.kill('SIGINT')
  if (await within(exited, stopLimitMs)) return
  child.kill('SIGQUIT')
  if (await within(exited, 5000)) return
  child.kill('SIGKILL')
  await exited
}

const within = (done: Promise<void>, limitMs: number) => Promise.race([done.then(() => true), Bun.sleep(limitMs).then(() => false)])

/**
 * Ends a server that an earlier run left behind. The caller holds the data directory's lock, so it belongs to nobody.
 * It is stopped, not adopted: a child of ours can be watched, and it starts again in a tenth of a second.
 */
export async function stopOrphan({ clusterDir }: Place) {
  const pid = Number(readPidFile(clusterDir)[0])
  if (!Number.isInteger(pid) || pid <= 1 || !isPostmasterOf(pid, clusterDir)) return
  process.kill(pid, 'SIGINT')
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    const deadline = Date.now() + 10_000
    while (Date.now() < deadline) {
      if (!isPostmasterOf(pid, clusterDir)) return
      await Bun.sleep(20)
    }
    process.kill(pid, signal)
  }
}

/**
 * PostgreSQL goes by the numbers in its lock files alone: it refuses to start while any process of its user has one of them, even
 * one that has ended and that nobody waits for. With our number in its place it starts (it overlooks its parent's), and still reads
 * in the other lines of the pid file whether old backends live on. Nobody else starts one here: we hold the data directory's lock.
 */
function takeOverLockFiles({ clusterDir, socketDir }: Place) {
  rmSync(join(socketDir, '.s.PGSQL.5432.lock'), { force: true })
  const [pid, ...others] = readPidFile(clusterDir)
  if (pid && others.length) writeFileSync(join(clusterDir, 'postmaster.pid'), [process.pid, ...others].join('\n'))
}

/** Process ids are used again; only a process that works in this very folder is the one. */
function isPostmasterOf(pid: number, clusterDir: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === clusterDir
    return Bun.spawnSync(['ps', '-o', 'command=', '-p', String(pid)])
      .stdout.toString()
      .includes(clusterDir)
  } catch {
    return false
  }
}
