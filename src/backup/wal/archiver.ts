import { statfsSync } from 'node:fs'
import type { Sql } from 'postgres'
import { keepsFilesOnDisk } from '../../attachments/storage/open'
import { newArchive, readArchive, type WalArchive, writeArchive } from '../../db/embedded/wal-archive'
import { isAway } from '../../db/errors'
import { type ConnectionTarget, connectDirectly } from '../../db/pool/open'
import type { Config } from '../../ops/settings/config'
import { megabytes } from '../disk-space'
import { BackupError, WrongPassphrase } from '../errors'
import { readStored } from '../store'
import { type KnownFiles, listFiles, shipNewFiles } from './new-files'
import { emptyOutbox, findLastSegment, type KnownSegments, shipSegment, tidyOutbox, waitingSegments } from './outbox'
import { removeOldLog } from './removal'
import { decryptIdentity, encryptIdentity, keyName, newIdentity } from './sealed'
import { type ArchiveStores, makeArchiveFolders, openArchiveStores } from './stores'

/** The progress of an archive. */
export type ArchiverState = {
  id: string
  /** ISO 8601, UTC, like all times here. */
  createdAt: string
  /** The time since which the oldest segment in the outbox has been waiting; null if the outbox is empty. */
  waitingSince: string | null
  waiting: number
  /** The time when the last segment was archived; null if none was. */
  archivedAt: string | null
  /** Why a segment or an attachment cannot be archived; null without a problem. */
  problem: string | null
}

/** A message of the archiver: its state, a sentence for the log, or the reply to the job `look`. */
export type ArchiverMessage = { state: ArchiverState } | { warning: string } | { looked: true }

export type ArchiverOptions = {
  dataDir: string
  target: ConnectionTarget
  config: Config
  passphrase: string | undefined
  signal: AbortSignal
  tell: (word: ArchiverMessage) => void
}

/** Archives the segments in the outbox, and new attachments. */
export type Archiver = {
  /**
   * Archives the pending segments. Does not throw: it reports a problem and retries with the next step.
   * @param isThorough whether to look for attachments even if no segment waits
   * @returns whether there is more that can be archived at once
   */
  step: (isThorough: boolean) => Promise<boolean>
  /** Reports the current state, even during a step. */
  report: () => void
  /** Makes the next steps remove the log that was archived before this time. */
  removeBefore: (oldestBackup: Date) => void
  close: () => Promise<void>
}

type OpenArchive = { archive: WalArchive; stores: ArchiveStores; segments: KnownSegments; files: KnownFiles }

/** The number of segments between two searches for attachments. */
const batchSegments = 16

export function createArchiver(options: ArchiverOptions): Archiver {
  const { dataDir, target, config, signal, tell } = options
  const sql = connectDirectly(target, config)
  let open: OpenArchive | null = null
  let known: Pick<ArchiverState, 'id' | 'createdAt'> | null = null
  let archivedAt: Date | null = null
  let problem: string | null = null
  let expiry: Date | null = null
  /** The archive, once the passphrase has decrypted its key. */
  let checkedKey: string | null = null

  /** @param isShared whether another service writes to the archive, whose backups may need older parts of the log */
  const begin = async (why: string, isShared = false) => {
    const before = readArchive(dataDir)
    if (!before) return
    const next = { place: before.place, identity: before.identity === null ? null : await newIdentity() }
    writeArchive(dataDir, newArchive(next, isShared ? null : before, before.inode))
    open = null
    tell({ warning: `${why} A new archive of the log begins; it needs a new backup. Times before are restored from earlier backups.` })
  }

  /** @returns null if it has begun a new archive instead */
  const openArchive = async (archive: WalArchive): Promise<OpenArchive | null> => {
    const { place, id, identity, isBegun, last, filesSince } = archive
    const stores = openArchiveStores(place, id, config)
    for (const store of Object.values(stores)) store.removeUnfinished()
    if (identity !== null && options.passphrase !== undefined && checkedKey !== id) {
      if (!(await keepKey(stores, identity, options.passphrase, signal))) {
        await begin('The passphrase of backups is not that of the archive of the log.')
        return null
      }
      checkedKey = id
    }
    const [segments, files] = [await findLastSegment(stores.segments), await listFiles(stores.files, new Date(filesSince))]
    if (last !== null && (segments.last === null || segments.last < last)) {
      await begin(`The archive of the log has lost its last segments: ${last} is not in ${place}.`)
      return null
    }
    if (!isBegun) writeArchive(dataDir, { ...archive, isBegun: true })
    return { archive: { ...archive, isBegun: true }, stores, segments, files }
  }

  /** @returns why some attachments were not archived */
  const bring = async (into: OpenArchive, names: readonly string[], isThorough: boolean): Promise<string | null> => {
    const { stores, archive, segments, files } = into
    // Archived before the segments, so that a recovery finds all attachments to which the records in them refer.
    const isLook = keepsFilesOnDisk(config) && (isThorough || names.length > 0)
    const kept = isLook ? await shipFiles(sql, into, options) : null
    for (const segment of names) {
      const misfit = await shipSegment(segment, { dataDir, known: segments, segments: stores.segments, identity: archive.identity, signal })
      if (misfit !== null) {
        const why = misfit === 'gap' ? `The log has a gap before ${segment}.` : sharedArchive(segment, archive.place)
        await begin(why, misfit === 'foreign')
        return kept
      }
      archivedAt = segments.archivedAt
    }
    const filesSince = files.since.toISOString()
    const isMoved = files.since.getTime() - Date.parse(archive.filesSince) > filesSinceStepMs
    if (segments.last !== archive.last || isMoved) {
      into.archive = { ...archive, last: segments.last, filesSince: isMoved ? filesSince : archive.filesSince }
      writeArchive(dataDir, into.archive)
    }
    return kept
  }

  const work = async (archive: WalArchive, isThorough: boolean): Promise<string | null> => {
    tidyOutbox(dataDir)
    const names = waitingSegments(dataDir).names.slice(0, batchSegments)
    // Even if no segment is waiting: a problem with the location must be noticed before one is.
    makeArchiveFolders(archive.place, archive.id, archive.isBegun)
    if (open?.archive.id !== archive.id) open = await openArchive(archive)
    if (!open) return null
    const into = open
    archivedAt = into.segments.archivedAt
    const kept = await bring(into, names, isThorough)
    if (expiry !== null && open === into) {
      const earlier = await removeOldLog(into.archive, expiry, config)
      if (earlier.length !== into.archive.earlier.length) {
        into.archive = { ...into.archive, earlier }
        writeArchive(dataDir, into.archive)
      }
      expiry = null
    }
    return kept
  }

  const report = () => {
    if (!known) return
    const { names, since } = waitingSegments(dataDir)
    tell({ state: { ...known, waiting: names.length, waitingSince: iso(since), archivedAt: iso(archivedAt), problem } })
  }

  return {
    step: async (isThorough) => {
      try {
        const archive = readArchive(dataDir)
        if (!archive) throw new BackupError('archive.json is missing in the folder wal of the data directory. Start the service again.')
        known = { id: archive.id, createdAt: archive.createdAt }
        const kept = await work(archive, isThorough)
        problem = (await failureOfPostgres(sql)) ?? kept
      } catch (error) {
        if (signal.aborted) return false
        open = null
        problem = error instanceof Error ? error.message : String(error)
        known ??= { id: '', createdAt: new Date().toISOString() }
        if (giveUpWhenFull(options)) await begin('The waiting segments were discarded.')
      }
      report()
      return problem === null && waitingSegments(dataDir).names.length > 0
    },
    report,
    removeBefore: (oldestBackup) => {
      expiry = oldestBackup
    },
    close: () => sql.end({ timeout: 1 }),
  }
}

const sharedArchive = (segment: string, address: string) =>
  `Another service has archived a different ${segment} in ${address}: one of the two runs on a copy of the other's data directory. Give the copy another ROWHOUSE_WAL_ARCHIVE and ROWHOUSE_BACKUP_TO. The log that both have archived there is not removed any more.`

/** How often `filesSince` is saved: the time from which a restarted process looks for new attachments. */
const filesSinceStepMs = 60 * 60_000

/** Once the database has ended, there are no new attachments. @returns the same as `shipNewFiles` */
async function shipFiles(
  sql: Sql,
  { archive, stores, files: known }: OpenArchive,
  { dataDir, signal }: ArchiverOptions,
): Promise<string | null> {
  try {
    return await shipNewFiles(sql, { dataDir, known, files: stores.files, identity: archive.identity, signal })
  } catch (error) {
    if (!isAway(error)) throw error
    return null
  }
}

const iso = (at: Date | null) => at?.toISOString() ?? null

/** @returns false if the key of the archive was encrypted with another passphrase */
async function keepKey({ root }: ArchiveStores, identity: string, passphrase: string, signal: AbortSignal): Promise<boolean> {
  if ((await root.list(keyName)).has(keyName)) {
    const found = await decryptIdentity(readStored(root, keyName), passphrase).catch((error) => {
      if (error instanceof WrongPassphrase) return null
      throw error
    })
    if (found === null) return false
    if (found === identity) return true
  }
  await root.write(keyName, encryptIdentity(identity, passphrase), signal)
  return true
}

/** Why PostgreSQL cannot copy its log to the outbox; null if it can, or if the database does not respond. */
async function failureOfPostgres(sql: Sql): Promise<string | null> {
  try {
    const [row] = await sql<{ segment: string }[]>`
      select last_failed_wal as segment from pg_stat_archiver where last_failed_time > coalesce(last_archived_time, '-infinity')`
    return row ? `PostgreSQL cannot archive its segment ${row.segment}. Is the disk of the data directory full?` : null
  } catch {
    return null
  }
}

/** Without space for its log, PostgreSQL stops, and the service with it. That is worse than a gap in the archive. */
function giveUpWhenFull({ dataDir, config: { minFreeBytes }, tell }: ArchiverOptions): boolean {
  const { bavail, bsize } = statfsSync(dataDir)
  const { names } = waitingSegments(dataDir)
  if (names.length === 0 || bavail * bsize >= minFreeBytes) return false
  emptyOutbox(dataDir)
  tell({
    warning: `The archive of the log is unavailable, and the disk of ${dataDir} has less than ROWHOUSE_MIN_FREE_BYTES (${megabytes(minFreeBytes)}) left: ${names.length} segments that waited for it were discarded.`,
  })
  return true
}
