import { statfsSync } from 'node:fs'
import type { Sql } from 'postgres'
import { newArchive, readArchive, type WalArchive, writeArchive } from '../../db/embedded/wal-archive'
import { isAway } from '../../db/errors'
import { type ConnectionTarget, connectDirectly } from '../../db/open'
import type { Config } from '../../ops/config'
import { megabytes } from '../disk-space'
import { type KnownFiles, listFiles, shipNewFiles } from './new-files'
import { emptyOutbox, type KnownSegments, listSegments, shipSegment, tidyOutbox, waitingSegments } from './outbox'
import { removeOldLog } from './removal'
import { encryptIdentity, keyName, newIdentity } from './sealed'
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
export type ArchiverWord = { state: ArchiverState } | { warning: string } | { looked: true }

export type ArchiverOptions = {
  dataDir: string
  target: ConnectionTarget
  config: Config
  passphrase: string | undefined
  signal: AbortSignal
  tell: (word: ArchiverWord) => void
}

/** Brings what PostgreSQL has put aside into the archive, and the attachments that came since. */
export type Archiver = {
  /**
   * One look at what waits. Does not throw: a problem is told, and what waits goes on waiting.
   * @returns whether there is more that can be archived at once
   */
  step: () => Promise<boolean>
  /** From the next step on, what was archived before is removed. */
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
  let archivedAt: Date | null = null
  let problem: string | null = null
  let expiry: Date | null = null

  const begin = async (why: string) => {
    const before = readArchive(dataDir)
    if (!before) return
    const next = newArchive({ place: before.place, identity: before.identity === null ? null : await newIdentity() }, before)
    writeArchive(dataDir, next)
    open = null
    tell({ warning: `${why} A new archive of the log begins; it needs a new backup. Times before are restored from earlier backups.` })
  }

  const shipWaiting = async (into: OpenArchive) => {
    for (const segment of waitingSegments(dataDir).names.slice(0, batchSegments)) {
      const { stores, archive, segments: known } = into
      if (!(await shipSegment(segment, { dataDir, known, segments: stores.segments, identity: archive.identity, signal }))) {
        return begin(`The log has a gap before ${segment}, or another installation has archived it.`)
      }
      archivedAt = known.archivedAt
    }
  }

  const work = async (archive: WalArchive) => {
    tidyOutbox(dataDir)
    // Also with nothing to bring: it is to be known before there is.
    makeArchiveFolders(archive.place, archive.id, archive.isBegun)
    if (open?.archive.id !== archive.id) open = await openArchive(archive, options)
    const into = open
    archivedAt = into.segments.archivedAt
    // First, so that a recovery finds the attachments that its records name.
    if (!config.s3Bucket) await shipFiles(sql, into, options)
    await shipWaiting(into)
    if (expiry !== null && open === into) {
      const earlier = await removeOldLog(archive, expiry, config)
      if (earlier.length !== archive.earlier.length) writeArchive(dataDir, { ...readArchive(dataDir)!, earlier })
      expiry = null
    }
  }

  return {
    step: async () => {
      const archive = readArchive(dataDir)
      if (!archive) return false
      try {
        await work(archive)
        problem = await failureOfPostgres(sql)
      } catch (error) {
        if (signal.aborted) return false
        open = null
        problem = error instanceof Error ? error.message : String(error)
        giveUpWhenFull(options)
      }
      const { names, since } = waitingSegments(dataDir)
      const { id, createdAt } = archive
      const state = { id, createdAt, waiting: names.length, waitingSince: iso(since), archivedAt: iso(archivedAt), problem }
      tell({ state })
      return problem === null && names.length > 0
    },
    removeBefore: (oldestBackup) => {
      expiry = oldestBackup
    },
    close: () => sql.end({ timeout: 1 }),
  }
}

/** Without the database, at its end, there are no new ones. */
async function shipFiles(sql: Sql, { archive, stores, files: known }: OpenArchive, { dataDir, signal }: ArchiverOptions) {
  try {
    await shipNewFiles(sql, { dataDir, known, files: stores.files, identity: archive.identity, signal })
  } catch (error) {
    if (!isAway(error)) throw error
  }
}

const iso = (at: Date | null) => at?.toISOString() ?? null

async function openArchive(archive: WalArchive, { dataDir, config, passphrase, signal }: ArchiverOptions): Promise<OpenArchive> {
  const { place, id, identity, isBegun, createdAt } = archive
  const stores = openArchiveStores(place, id, config)
  // Each time: the passphrase may be another one since.
  if (identity !== null && passphrase !== undefined) {
    await stores.root.write(keyName, encryptIdentity(identity, passphrase), signal)
  }
  const [segments, files] = [await listSegments(stores.segments), await listFiles(stores.files, new Date(createdAt))]
  if (!isBegun) writeArchive(dataDir, { ...archive, isBegun: true })
  return { archive, stores, segments, files }
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
function giveUpWhenFull({ dataDir, config: { minFreeBytes }, tell }: ArchiverOptions) {
  const { bavail, bsize } = statfsSync(dataDir)
  const { names } = waitingSegments(dataDir)
  if (names.length === 0 || bavail * bsize >= minFreeBytes) return
  emptyOutbox(dataDir)
  tell({
    warning: `The archive of the log is away, and the disk of ${dataDir} has less than ROWHOUSE_MIN_FREE_BYTES (${megabytes(minFreeBytes)}) left: ${names.length} segments that waited for it were given up.`,
  })
}
