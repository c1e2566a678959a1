import type { Db } from '../../db/pool/open'
import { conflict, invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import type { Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { isUrl } from '../bucket'
import { megabytes } from '../disk-space'
import { type BackupRequest, type LastBackups, readLastBackups, recordBackup, stoppedProblem } from '../log'
import { plainConfig } from '../plain-config'
import { type BackupStore, openStore } from '../store'
import { resolveTarget } from '../target-file'
import type { WalArchiver } from '../wal/process'
import { createLateAlert, isOverdue } from './late-alert'
import { problemOf } from './place-problem'
import { type BackupOutcome, type BackupProcess, type BackupStep, startBackupProcess } from './process'
import { replaceOlder } from './replace'
import { watchStore } from './store-watch'
import { createVerifications } from './verifications'

/** How often the schedule is checked. A single timer would miss clock changes and a machine's sleep. */
const lookEveryMs = 5000

/** The wait before a failed scheduled backup is retried, and the maximum number of retries. */
const retryAfterMs = 15 * 60_000
const maxRetries = 3

/** The maximum age of a list of the store. */
const folderMaxAgeMs = 1000
const bucketMaxAgeMs = 60_000

export type RunningBackup = { origin: BackupRequest['origin']; startedAt: Date; progress: BackupStep | null }

/**
 * `off`: there is no schedule. `late`: the last proven backup that still exists, or without one the installation, is
 * older than two scheduled times; or the archive of the log has no backup to follow. `failed`: the last backup that the
 * service has made is not proven.
 */
type BackupState = 'off' | 'ok' | 'failed' | 'late'

/** `ageSeconds` is the age of the last proven backup. */
type BackupsState = { state: BackupState; ageSeconds: number | null; hasFailed: boolean }

/** Makes the scheduled backups of the service, in the location from its settings. */
export type Backups = {
  /** Starts the schedule. */
  start: (passphrase: string | undefined) => void
  /** Interrupts the running backup. */
  stop: () => Promise<void>
  /** @throws Failure conflict if a backup is running, invalid_request if the settings name no location for backups */
  requireIdle: () => void
  /** Starts a backup now. @throws like `requireIdle` */
  begin: (requestedBy: string) => RunningBackup
  running: () => RunningBackup | null
  /** The location of the backups; null if the settings name none. */
  store: BackupStore | null
  /** Null without a schedule, and for a schedule that never occurs. */
  nextAt: () => Promise<Date | null>
  state: () => Promise<BackupsState>
}

type BackupsOptions = { config: Config; db: Db; events: Events; walArchiver: WalArchiver; isServing: () => boolean }

/** Null for a time that was recorded while the clock was ahead. */
const notAhead = (time: Date | null): Date | null => (time !== null && time.getTime() <= Date.now() ? time : null)

const nothingMade = { state: 'failed', place: null, bytes: null, contents: null } as const

/** With several instances on a team's database, one makes the backup: it holds a lock of the database (`make.ts`). */
export function createBackups({ config, db, events, walArchiver, isServing }: BackupsOptions): Backups {
  const { backupSchedule: schedule, backupKeep: retention } = config
  const store = config.backupTo === undefined ? null : openStore(config.backupTo, config)
  const watch = store && watchStore(store, isUrl(store.place) ? bucketMaxAgeMs : folderMaxAgeMs)
  const verifications = store && createVerifications({ config, store, listStored: watch!.names, events })
  let passphrase: string | undefined
  let timer: Timer | undefined
  let current: { origin: BackupRequest['origin']; startedAt: Date; process: BackupProcess; isOver: Promise<void> } | null = null
  // The attempts of this process. The list contains earlier ones, but not those that could not be recorded.
  let lastAttempt: Date | null = null
  let failures = 0
  let failedAt: Date | null = null
  let isLooking = false
  const notifyLate = store && createLateAlert(store.place, events)
  let isStopping = false

  const readLast = async (): Promise<LastBackups> => {
    const last = await readLastBackups(db, watch && (await watch.names()))
    return { ...last, failures: Math.max(failures, last.failures), failedAt: later(notAhead(failedAt), last.failedAt) }
  }

  /** When the archive of the log began: it can only follow backups that began later. */
  const archiveBegan = (): Date | null => {
    const began = walArchiver.state().archiver?.createdAt
    return began === undefined ? null : new Date(began)
  }

  /** Whether the archive still has no backup to follow although there was time to make one. */
  const isArchiveAlone = (proven: Date | null): boolean => {
    const began = archiveBegan()
    return began !== null && current === null && !isAfter(proven, began) && Date.now() - began.getTime() > retryAfterMs
  }

  const nextAt = async (): Promise<Date | null> => {
    if (store === null) return null
    const { proven, scheduled, installed, ...failed } = await readLast()
    const lastScheduled = notAhead(lastAttempt)
    if (failed.failedAt && failed.failures <= maxRetries && !isAfter(lastScheduled, failed.failedAt))
      return new Date(failed.failedAt.getTime() + retryAfterMs)
    const begins = notAhead(archiveBegan())
    if (begins !== null && !isAfter(proven, begins) && !isAfter(lastScheduled ?? scheduled, begins)) return begins
    return schedule.next(later(lastScheduled, scheduled) ?? installed)
  }

  const run = (into: BackupStore, request: BackupRequest): RunningBackup => {
    const startedAt = new Date()
    const target = resolveTarget(into.place, passphrase !== undefined, startedAt)
    const process = startBackupProcess({ target, passphrase, wasRoot: true, config: plainConfig(config), request })
    events.emit({ kind: 'job_started', job: 'backup' })
    const isOver = process.ended
      .then((outcome) => {
        const ending = isProvenBackup(outcome) ? 'ok' : 'failed'
        events.emit({ kind: 'job_ended', job: 'backup', outcome: ending, durationMs: Date.now() - startedAt.getTime() })
        return finish(request, startedAt, outcome)
      })
      .catch((error) => events.emit({ kind: 'background_failed', task: 'a backup', error }))
      .finally(() => {
        current = null
      })
    current = { origin: request.origin, startedAt, process, isOver }
    return { origin: request.origin, startedAt, progress: null }
  }

  const finish = async (request: BackupRequest, startedAt: Date, outcome: BackupOutcome) => {
    const isProven = isProvenBackup(outcome)
    watch?.forget()
    // The other instance tries again if it fails.
    if ('failed' in outcome && outcome.isUnderWay && request.origin === 'schedule') return
    if (request.origin === 'schedule') {
      failures = isProven ? 0 : failures + 1
      failedAt = isProven ? null : new Date()
    }
    if ('failed' in outcome) {
      // Neither a stop of the service nor a backup by another instance is a failure to alert about.
      const isStopped = isStopping || outcome.isInterrupted
      if (isStopped || outcome.isUnderWay) events.emit({ kind: 'background_failed', task: 'a backup', error: new Error(outcome.failed) })
      else events.emit({ kind: 'alert', alert: 'backup_failed', message: `The backup failed. ${outcome.failed}` })
      // The next start makes this backup.
      if (isStopped && request.origin === 'schedule') return
      const problem = isStopped ? `${stoppedProblem} ${outcome.failed}` : outcome.failed
      if (!outcome.isUnderWay) await recordBackup(db.query, { ...request, ...nothingMade, problem, startedAt })
      return
    }
    const { place, bytes, problem } = outcome.made
    if (!isProven) return events.emit({ kind: 'alert', alert: 'backup_failed', message: `The backup ${place} is not intact. ${problem}` })
    const seconds = ((Date.now() - startedAt.getTime()) / 1000).toFixed(1)
    events.emit({ kind: 'note', message: `Backed up and verified: ${place}, ${megabytes(bytes)} in ${seconds} s.` })
    if (store !== null) await replaceOlder({ db, store, place, retention, walArchiver, events })
  }

  const look = async () => {
    if (store === null || isLooking || !isServing()) return
    isLooking = true
    try {
      if (current) return isOverdue(schedule, current.startedAt, new Date()) ? await checkLate() : undefined
      const due = await nextAt()
      if (current) return
      // A backup that begins now is no longer late.
      if (due === null || due.getTime() > Date.now()) {
        await checkLate()
        return await verifications?.look(passphrase)
      }
      lastAttempt = new Date()
      run(store, { origin: 'schedule', requestedBy: null })
    } catch (error) {
      events.emit({ kind: 'background_failed', task: 'looking at the schedule of backups', error })
    } finally {
      isLooking = false
    }
  }

  const checkLate = async () => {
    const { state, ageSeconds } = await readState()
    notifyLate?.({ isLate: state === 'late', ageSeconds })
  }

  const readState = async (): Promise<BackupsState> => {
    if (store === null) return { state: 'off', ageSeconds: null, hasFailed: false }
    const { proven, installed, hasFailed } = await readLast()
    const ageSeconds = proven && Math.max(0, Math.round((Date.now() - proven.getTime()) / 1000))
    const first = schedule.next(proven ?? installed)
    const second = first && schedule.next(first)
    const isLate = (second !== null && second.getTime() < Date.now()) || isArchiveAlone(proven)
    return { state: isLate ? 'late' : hasFailed ? 'failed' : 'ok', ageSeconds, hasFailed }
  }

  const idleStore = (): BackupStore => {
    if (store === null) {
      throw invalidRequest(
        translatable('No folder for backups is set.'),
        translatable('Set {setting} to a folder, and start the service again.', { setting: 'ROWHOUSE_BACKUP_TO' }),
      )
    }
    if (current) throw conflict(translatable('A backup is under way.'))
    return store
  }

  const running = (): RunningBackup | null =>
    current && { origin: current.origin, startedAt: current.startedAt, progress: current.process.progress() }

  return {
    start: (given) => {
      passphrase = given
      if (store === null) return
      prepareStore(store, config, events)
      timer = setInterval(() => void look(), lookEveryMs)
    },
    stop: async () => {
      clearInterval(timer)
      isStopping = true
      current?.process.stop()
      await Promise.all([current?.isOver, verifications?.stop()])
    },
    requireIdle: () => void idleStore(),
    begin: (requestedBy) => run(idleStore(), { origin: 'request', requestedBy }),
    running,
    store,
    nextAt,
    state: readState,
  }
}

/** Removes the remains of killed backups, or warns if their location has a problem. */
function prepareStore(store: BackupStore, config: Config, events: Events) {
  const problem = isUrl(store.place) ? null : problemOf(store.place, config.dataDir)
  if (problem !== null) return events.emit({ kind: 'warning', message: problem })
  try {
    store.removeUnfinished()
  } catch (error) {
    events.emit({ kind: 'background_failed', task: 'removing unfinished backups', error })
  }
}

/** Another instance may have made one since. */
const later = (at: Date | null, other: Date | null) => (isAfter(at, other ?? new Date(0)) ? at : other)

const isAfter = (at: Date | null, other: Date) => at !== null && at.getTime() > other.getTime()

const isProvenBackup = (outcome: BackupOutcome): boolean => 'made' in outcome && outcome.made.proof !== null
