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

/** How far an archive is. */
export type ArchiverState = {
  id: string
  /** ISO 8601, UTC, as the other times. */
  createdAt: string
  /** Since when the oldest segment waits that is not in the archive; null where none does. */
  waitingSince: string | null
  waiting: number
  /** When the last segment came in; null where none did. */
  archivedAt: string | null
  /** Why nothing can be archived; null where all is well. */
  problem: string | null
}

/** What the archiver says: its state, a sentence for the log, or that it has looked since it was asked to. */
export type ArchiverMessage = { state: ArchiverState } | { warning: string } | { looked: true }

export type ArchiverOptions = {
  dataDir: string
  target: ConnectionTarget
  config: Config
  passphrase: string | undefined
  signal: AbortSignal
  tell: (word: ArchiverMessage) => void
}

/** Brings what PostgreSQL has put aside into the archive, and the attachments that came since. */
export type Archiver = {
  /**
   * Archives the pending segments. Does not throw: it reports a problem and retries with the next step.
   * @param isThorough whether to look for attachments even if no segment waits
   * @returns whether there is more that can be archived at once
   */
  step: (isThorough: boolean) => Promise<boolean>
  /** Tells the state of this moment, also during a step. */
  report: () => void
  /** The next steps remove the log that was archived before this time. */
  removeBefore: (oldestBackup: Date) => void
  close: () => Promise<void>
}

type OpenArchive = { archive: WalArchive; stores: ArchiveStores; segments: KnownSegments; files: KnownFiles }

/** Segments between two looks at attachments. */
const batchSegments = 16

export function createArchiver(options: ArchiverOptions): Archiver {
  const { dataDir, target, config, signal, tell } = options
  const sql = connectDirectly(target, config)
  let open: OpenArchive | null = null
  let known: Pick<ArchiverState, 'id' | 'createdAt'> | null = null
  let archivedAt: Date | null = null
  let problem: string | null = null
  let expiry: Date | null = null
  /** The archive whose key the passphrase has decrypted. */
  let checkedKey: string | null = null

  /** @param isShared whether another service writes to the archive: its backups may need the log that ours do not */
  const begin = async (why: string, isShared = false) => {
    const before = readArchive(dataDir)
    if (!before) return
    const next = { place: before.place, identity: before.identity === null ? null : await newIdentity() }
    writeArchive(dataDir, newArchive(next, isShared ? null : before, before.inode))
    open = null
    tell({ warning: `${why} A new archive of the log begins; it needs a new backup. Times before are restored from earlier backups.` })
  }

  /** null where another archive has to begin. */
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
    // First, so that a recovery finds the attachments that its records name: of segments that were there before.
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
    // Even if no segment waits: a problem with the place must show before one does.
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

/** So rarely the time is written down since when attachments have to be looked for after a restart. */
const filesSinceStepMs = 60 * 60_000

/** Without the database, at its end, there are no new ones. @returns as `shipNewFiles` */
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

/** @returns false where the key of the archive does not open with the passphrase of now, which backups before do */
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

/** What keeps PostgreSQL from putting its log aside; null where nothing does, or it cannot be asked. */
async function failureOfPostgres(sql: Sql): Promise<string | null> {
  try {
    const [row] = await sql<{ segment: string }[]>`
      select last_failed_wal as segment from pg_stat_archiver where last_failed_time > coalesce(last_archived_time, '-infinity')`
    return row ? `PostgreSQL cannot put its segment ${row.segment} aside. Is the disk of the data directory full?` : null
  } catch {
    return null
  }
}

/** A PostgreSQL without room for its log stops, and the service with it: rather the archive has a gap. */
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
