import { accessSync, constants } from 'node:fs'
import type { Db } from '../../db/open'
import { conflict, invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import type { Config } from '../../ops/config'
import type { Events } from '../../ops/events'
import { isBucketAddress } from '../bucket'
import { megabytes } from '../disk-space'
import { type BackupRequest, lastStatement, placesStatement, pruneStatement, recordBackup } from '../log'
import { plainConfig } from '../plain-config'
import { type BackupStore, openStore } from '../store'
import { requireOutside, resolveTarget } from '../target-file'
import type { WalArchiver } from '../wal/process'
import { type BackupOutcome, type BackupProcess, type BackupStep, startBackupProcess } from './process'
import { datedBackups, removeExpired } from './retention'

/** How often the schedule is looked at. The clock may be set meanwhile, and machines sleep. */
const lookEveryMs = 5000

/** A backup of the schedule that has failed is tried again after this time, so many times. */
const retryAfterMs = 15 * 60_000
const maxRetries = 3

export type RunningBackup = { origin: BackupRequest['origin']; startedAt: Date; progress: BackupStep | null }

/**
 * `off`: there is no schedule. `late`: the last proven backup, or where there is none the installation, is older than
 * two times of the schedule.
 */
type BackupState = 'off' | 'ok' | 'late'

/** The backups that the service makes by itself, into the folder of its settings. */
export type Backups = {
  /** Begins to look at the clock. */
  start: (passphrase: string | undefined) => void
  /** Interrupts the one that is under way. */
  stop: () => Promise<void>
  /** @throws Failure conflict where one is under way, invalid_request where no folder is set */
  requireIdle: () => void
  /** Starts one now. @throws as `requireIdle` */
  begin: (requestedBy: string) => RunningBackup
  running: () => RunningBackup | null
  /** Where they are kept; null without a place in the settings. */
  store: BackupStore | null
  /** null without a schedule, and for one whose time never comes. */
  nextAt: () => Promise<Date | null>
  state: () => Promise<{ state: BackupState; ageSeconds: number | null }>
}

type BackupsOptions = { config: Config; db: Db; events: Events; walArchiver: WalArchiver; isServing: () => boolean }

type Last = { proven: Date | null; scheduled: Date | null; installed: Date }

/** Of several instances on a team's database one makes it: a lock of the database is held meanwhile (`make.ts`). */
export function createBackups({ config, db, events, walArchiver, isServing }: BackupsOptions): Backups {
  const { backupSchedule: schedule, backupKeep: retention } = config
  const store = config.backupTo === undefined ? null : openStore(config.backupTo, config)
  let passphrase: string | undefined
  let timer: Timer | undefined
  let current: { origin: BackupRequest['origin']; startedAt: Date; process: BackupProcess; isOver: Promise<void> } | null = null
  // Of this process; before it there is the list.
  let lastScheduled: Date | null = null
  let failures = 0
  let failedAt: Date | null = null
  let isLooking = false

  const readLast = async (): Promise<Last> => {
    const [row] = await db.query<{ proven: string | null; scheduled: string | null; installed: string }>(lastStatement)
    const date = (text: string | null) => (text === null ? null : new Date(text))
    return { proven: date(row!.proven), scheduled: date(row!.scheduled), installed: new Date(row!.installed) }
  }

  const nextAt = async (): Promise<Date | null> => {
    if (store === null) return null
    if (failedAt && failures <= maxRetries) return new Date(failedAt.getTime() + retryAfterMs)
    const { proven, scheduled, installed } = await readLast()
    // An archive of the log is of use to backups that begin behind it.
    const archiveBegan = walArchiver.state().archiver?.createdAt
    const begins = archiveBegan === undefined ? null : new Date(archiveBegan)
    const isPast = begins !== null && begins.getTime() <= Date.now()
    if (isPast && !isAfter(proven, begins) && !isAfter(lastScheduled ?? scheduled, begins)) return begins
    return schedule.next(later(lastScheduled, scheduled) ?? installed)
  }

  const run = (into: BackupStore, request: BackupRequest): RunningBackup => {
    const startedAt = new Date()
    const target = resolveTarget(into.place, passphrase !== undefined, startedAt)
    const process = startBackupProcess({ target, passphrase, wasRoot: true, config: plainConfig(config), request })
    events.emit({ kind: 'job_started', job: 'backup' })
    const isOver = process.ended
      .then(({ outcome, isRecorded }) => {
        const ending = isProvenBackup(outcome) ? 'ok' : 'failed'
        events.emit({ kind: 'job_ended', job: 'backup', outcome: ending, durationMs: Date.now() - startedAt.getTime() })
        return finish(request, startedAt, outcome, isRecorded)
      })
      .catch((error) => events.emit({ kind: 'background_failed', task: 'a backup', error }))
      .finally(() => {
        current = null
      })
    current = { origin: request.origin, startedAt, process, isOver }
    return { origin: request.origin, startedAt, progress: null }
  }

  const finish = async (request: BackupRequest, startedAt: Date, outcome: BackupOutcome, isRecorded: boolean) => {
    const isProven = isProvenBackup(outcome)
    // That one tries again where it fails.
    if ('failed' in outcome && outcome.isUnderWay && request.origin === 'schedule') return
    if (request.origin === 'schedule') {
      failures = isProven ? 0 : failures + 1
      failedAt = isProven ? null : new Date()
    }
    if ('failed' in outcome) {
      events.emit({ kind: 'background_failed', task: 'a backup', error: new Error(outcome.failed) })
      const nothing = { state: 'failed', place: null, bytes: null, contents: null } as const
      if (!isRecorded) await recordBackup(db.query, { ...request, ...nothing, problem: outcome.failed, startedAt })
      return
    }
    const { place, bytes, problem } = outcome.made
    if (!isProven) {
      events.emit({ kind: 'warning', message: `The backup ${place} is not whole. ${problem}` })
      return
    }
    const seconds = ((Date.now() - startedAt.getTime()) / 1000).toFixed(1)
    events.emit({ kind: 'note', message: `Backed up and tried out: ${place}, ${megabytes(bytes)} in ${seconds} s.` })
    for (const name of store === null ? [] : await removeExpired(store, retention))
      events.emit({ kind: 'note', message: `Removed the backup ${name}, which ROWHOUSE_BACKUP_KEEP does not keep.` })
    if (store !== null) await removeLog(store)
    await db.query(pruneStatement)
  }

  /**
   * Of the log what no backup that is there can be followed by: those that are named by their time, and those of the
   * list.
   */
  const removeLog = async (from: BackupStore) => {
    const names = new Set((await from.list()).keys())
    const made = await db.query<{ place: string; startedAt: string }>(placesStatement)
    const listed = made.flatMap(({ place, startedAt }) =>
      place.startsWith(from.place) && names.has(place.slice(from.place.length)) ? [new Date(startedAt)] : [],
    )
    const times = [...datedBackups([...names], { isProven: true }).map(({ at }) => at), ...listed].map((at) => at.getTime())
    if (times.length > 0) walArchiver.removeBefore(new Date(Math.min(...times)))
  }

  const look = async () => {
    if (store === null || isLooking || current || !isServing()) return
    isLooking = true
    try {
      const due = await nextAt()
      if (due === null || due.getTime() > Date.now() || current) return
      lastScheduled = new Date()
      run(store, { origin: 'schedule', requestedBy: null })
    } catch (error) {
      events.emit({ kind: 'background_failed', task: 'looking at the schedule of backups', error })
    } finally {
      isLooking = false
    }
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
      const problem = isBucketAddress(store.place) ? null : problemOf(store.place, config.dataDir)
      if (problem !== null) events.emit({ kind: 'warning', message: problem })
      timer = setInterval(() => void look(), lookEveryMs)
    },
    stop: async () => {
      clearInterval(timer)
      current?.process.stop()
      await current?.isOver
    },
    requireIdle: () => void idleStore(),
    begin: (requestedBy) => run(idleStore(), { origin: 'request', requestedBy }),
    running,
    store,
    nextAt,
    state: async () => {
      if (store === null) return { state: 'off', ageSeconds: null }
      const { proven, installed } = await readLast()
      const ageSeconds = proven && Math.max(0, Math.round((Date.now() - proven.getTime()) / 1000))
      const first = schedule.next(proven ?? installed)
      const second = first && schedule.next(first)
      return { state: second && second.getTime() < Date.now() ? 'late' : 'ok', ageSeconds }
    },
  }
}

/** Another instance may have made one since. */
const later = (at: Date | null, other: Date | null) => (isAfter(at, other ?? new Date(0)) ? at : other)

const isAfter = (at: Date | null, other: Date) => at !== null && at.getTime() > other.getTime()

const isProvenBackup = (outcome: BackupOutcome): boolean => 'made' in outcome && outcome.made.proof !== null

/** What would make every backup fail, told at the start. */
function problemOf(folder: string, dataDir: string): string | null {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    requireOutside(folder, dataDir)
    return null
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'ENOENT') return `There is no folder ${folder}, so no backup will be made: mkdir it, or set ROWHOUSE_BACKUP_TO.`
    if (code === undefined) return `No backup will be made. ${message}`
    return `The user of the service (id ${process.getuid?.()}) cannot write to ${folder}, so no backup will be made: install -d -o ${process.getuid?.()} -m 700 ${folder}`
  }
}
