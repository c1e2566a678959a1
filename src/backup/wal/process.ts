import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { childEnvironment, ownCommand } from '../../db/embedded/become'
import type { WantedArchive } from '../../db/embedded/wal-archive'
import type { ConnectionTarget } from '../../db/pool/open'
import type { Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { withTimeout } from '../../timeout'
import { isUrl, openBucket } from '../bucket'
import { BackupError } from '../errors'
import { type PlainConfig, plainConfig } from '../plain-config'
import type { ArchiverMessage, ArchiverState } from './archiver'
import { newIdentity } from './sealed'

/** Name of the internal sub-command; not in --help. */
export const archiverProcess = '__archive-wal'

/**
 * Messages to the process: first its task, and then the time from which the log is needed. At the end, the job to look
 * for new attachments while the database runs, and the job to archive the rest and stop once the database has ended.
 */
export type ArchiverJob =
  | { begin: { dataDir: string; target: ConnectionTarget; passphrase: string | undefined; config: PlainConfig } }
  | { removeBefore: string }
  | { look: true }
  | { finish: true }

/**
 * `late`: the archive lags by more than `maxLagMs`, or cannot be written to. `unused`: the settings name an archive,
 * but the database was moved to a server whose log is not archived.
 */
type WalArchiveState = 'off' | 'unused' | 'ok' | 'late'

/** Archives the log of the embedded database to the location from the settings. */
export type WalArchiver = {
  start: (opened: { target: ConnectionTarget; dataDir: string }, passphrase: string | undefined) => void
  /** Removes segments that are older than every retained backup. */
  removeBefore: (oldestBackup: Date) => void
  /** `lagSeconds`: how long the oldest segment in the outbox has been waiting. */
  state: () => { state: WalArchiveState; lagSeconds: number | null; archiver: ArchiverState | null }
  /** Archives new segments and attachments, for a limited time: only a running database can list new attachments. */
  look: () => Promise<void>
  /** Archives the rest after the end of PostgreSQL, for a limited time. */
  stop: () => Promise<void>
}

/** The maximum amount of the log that may be lost with the machine. */
const maxLagMs = 60_000
const restartAfterMs = 1000
/** How long a step may take while the service stops, and how long if the archive is already unavailable. */
const maxStepMs = 10_000
const maxAwayMs = 5000
/** For all segments together. The whole stop stays below the 60 seconds of docs/rowhouse.service. */
const maxFinishMs = 30_000

type ArchiverChild = Bun.Subprocess<'ignore', 'ignore', 'ignore'>

const isAlive = (child: ArchiverChild | null): child is ArchiverChild =>
  child !== null && child.exitCode === null && child.signalCode === null

/** @throws BackupError for settings that do not allow an archive */
export async function wantedArchive(config: Config, passphrase: string | undefined): Promise<WantedArchive | null> {
  const { walArchive: place, databaseUrl } = config
  if (place === undefined) return null
  if (databaseUrl)
    throw new BackupError(
      'ROWHOUSE_WAL_ARCHIVE is for the embedded database. Archive the log of DATABASE_URL with its own tools (pgBackRest, for example).',
    )
  if (isUrl(place)) openBucket(place, config)
  else requireBeside(place, config.dataDir)
  return { place, identity: passphrase === undefined ? null : await newIdentity() }
}

/** An archive in the data directory is lost with it, and a start without the setting removes pending segments. */
function requireBeside(place: string, dataDir: string) {
  const [inner, outer] = [place, dataDir].map((path) => `${existsSync(path) ? realpathSync(path) : resolve(path)}/`) as [string, string]
  if (inner.startsWith(outer))
    throw new BackupError(
      `ROWHOUSE_WAL_ARCHIVE is in the data directory, ${dataDir}, and would be lost with it. Choose a folder outside of it.`,
    )
}

/**
 * Compression and encryption would delay requests, so the archiver is a separate process. It is restarted if it ends.
 */
export function createWalArchiver(config: Config, events: Events): WalArchiver {
  let child: ArchiverChild | null = null
  let isStopping = false
  let last: ArchiverState | null = null
  /** When the process sent its last message, or was started. */
  let heardAt = 0
  let toldProblem: string | null = null
  let looked: (() => void) | null = null

  const hear = (message: ArchiverMessage) => {
    heardAt = performance.now()
    if ('looked' in message) looked?.()
    else if ('warning' in message) events.emit({ kind: 'warning', message: message.warning })
    else {
      last = message.state
      const { problem } = message.state
      if (problem !== null && problem !== toldProblem) events.emit({ kind: 'warning', message: `The log is not archived. ${problem}` })
      if (problem === null && toldProblem !== null) events.emit({ kind: 'note', message: 'The log is archived again.' })
      toldProblem = problem
    }
  }

  const spawn = (job: ArchiverJob): ArchiverChild => {
    const spawned = Bun.spawn([...ownCommand(), archiverProcess], {
      env: childEnvironment(),
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'advanced',
      ipc: hear,
    })
    spawned.send(job)
    void spawned.exited.then((code) => {
      if (isStopping) return
      events.emit({ kind: 'background_failed', task: 'archiving the log', error: new Error(`Its process ended (${code}).`) })
      return startAgain(job)
    })
    return spawned
  }

  /** The executable may be missing for a moment while it is replaced. */
  const startAgain = async (job: ArchiverJob) => {
    while (!isStopping) {
      await Bun.sleep(restartAfterMs)
      if (isStopping) return
      try {
        child = spawn(job)
        return
      } catch (error) {
        events.emit({ kind: 'background_failed', task: 'archiving the log', error })
      }
    }
  }

  /** @returns whether the work ended in time */
  const awaitStep = (work: Promise<unknown>): Promise<boolean> =>
    withTimeout(
      work.then(() => true),
      last?.problem ? maxAwayMs : maxStepMs,
      () => false,
    )

  /** Waits while segments keep reaching the archive. @returns whether the process ended */
  const awaitEnd = async ({ exited }: ArchiverChild): Promise<boolean> => {
    for (const until = performance.now() + maxFinishMs; ; ) {
      const before = last?.archivedAt
      const hasEnded = await awaitStep(exited)
      if (hasEnded || last?.archivedAt === before || performance.now() > until) return hasEnded
    }
  }

  const send = (job: ArchiverJob) => {
    if (isAlive(child)) child.send(job)
  }

  return {
    start: ({ target, dataDir }, passphrase) => {
      if (config.walArchive === undefined || child) return
      heardAt = performance.now()
      child = spawn({ begin: { dataDir, target, passphrase, config: plainConfig(config) } })
    },
    removeBefore: (oldestBackup) => send({ removeBefore: oldestBackup.toISOString() }),
    state: () => {
      if (config.walArchive === undefined) return { state: config.isWalArchiveUnused ? 'unused' : 'off', lagSeconds: null, archiver: null }
      const lagMs = last?.waitingSince ? Math.max(0, Date.now() - Date.parse(last.waitingSince)) : 0
      const isSilent = child !== null && performance.now() - heardAt > maxLagMs
      const isLate = lagMs > maxLagMs || isSilent || (last !== null && last.problem !== null)
      return { state: isLate ? 'late' : 'ok', lagSeconds: Math.round(lagMs / 1000), archiver: last }
    },
    look: async () => {
      if (!isAlive(child)) return
      const { promise, resolve } = Promise.withResolvers<void>()
      looked = resolve
      child.send({ look: true })
      await awaitStep(Promise.race([promise, child.exited]))
    },
    stop: async () => {
      isStopping = true
      if (!child) return
      send({ finish: true })
      if (!(await awaitEnd(child))) child.kill('SIGKILL')
    },
  }
}
