import type { Config } from '../../ops/settings/config'
import type { BackupManifest } from '../archive/manifest'
import { readBeginningOf } from '../archive/reader'
import { BackupError, DamagedBackup } from '../errors'
import { readDamage, verificationOf } from '../proof/verify'
import { datedBackups, toKeepFileName } from '../schedule/retention'
import { type BackupStore, readStored, type Stored } from '../store'
import { archivedObjects, type WholeLog, wholeLog } from '../wal/follow'
import { openArchiveStores } from '../wal/stores'

/** A backup file, with the information that can be read from its location alone, without a database. */
export type FoundBackup = {
  name: string
  place: string
  bytes: number
  /** When it began; if it cannot be read, the time in its name or that of the file. */
  createdAt: Date
  /** Taken from its name, which ends with `.unproven` if the test restore failed. */
  isProven: boolean
  isHeld: boolean
  /** Whether its last verification found damage. Its beginning may be readable nevertheless. */
  isDamaged: boolean
  /** When it was last verified. */
  triedAt: Date | null
  /** Read from the beginning of the file; null if that is unreadable. */
  manifest: BackupManifest | null
  /** Why it is unreadable, or the damage that its last verification found. */
  problem: string | null
  /** Determined from the archive of its log; null if no archive was given, or if the backup has none. */
  log: WholeLog | null
}

const backupName = /\.tar\.zst(\.age)?(\.unproven)?$/

type InventoryOptions = {
  store: BackupStore
  /** The archive of the log. Without it, the list contains no points in time. */
  walArchive: string | undefined
  passphrase: string | undefined
  config: Config
  signal: AbortSignal
}

/** Lists the newest first. @throws errors of the store */
export async function listBackups(options: InventoryOptions): Promise<FoundBackup[]> {
  const { store } = options
  const stored = await store.list()
  const segmentsOf = archiveReader(options)
  const found: FoundBackup[] = []
  // One after the other: reading an encrypted one briefly takes 128 MB.
  for (const [name, file] of stored) {
    if (!backupName.test(name)) continue
    const tried = stored.get(verificationOf(name))
    const inspected = await inspect(name, file, options, segmentsOf)
    const damage = tried ? await readDamage(store, name, tried).catch(() => null) : null
    found.push({
      ...inspected,
      ...(damage === null ? {} : { problem: `It is damaged. ${damage}`, log: null }),
      isDamaged: damage !== null,
      isHeld: stored.has(toKeepFileName(name)),
      triedAt: tried?.changedAt ?? null,
    })
  }
  return found.toSorted((one, other) => Number(other.createdAt) - Number(one.createdAt))
}

type SegmentsOf = (id: string) => Promise<ReturnType<typeof archivedObjects>>

/** Each archive is listed once. */
function archiveReader({ walArchive: place, config }: InventoryOptions): SegmentsOf | null {
  if (place === undefined) return null
  const listed = new Map<string, ReturnType<SegmentsOf>>()
  return (id) => {
    const segments = listed.get(id) ?? openArchiveStores(place, id, config).segments.list().catch(emptyIfMissing).then(archivedObjects)
    listed.set(id, segments)
    return segments
  }
}

function emptyIfMissing(error: NodeJS.ErrnoException): ReadonlyMap<string, Stored> {
  if (error.code === 'ENOENT') return new Map()
  throw error
}

async function inspect(
  name: string,
  { bytes, changedAt }: Stored,
  { store, passphrase, signal }: InventoryOptions,
  segmentsOf: SegmentsOf | null,
): Promise<Omit<FoundBackup, 'isHeld' | 'isDamaged' | 'triedAt'>> {
  const isProven = !name.endsWith('.unproven')
  const [dated] = datedBackups([name], { isProven })
  const facts = { name, place: store.place + name, bytes, isProven }
  try {
    const { manifest, startSegment } = await readBeginningOf(readStored(store, name), passphrase, signal)
    const createdAt = new Date(manifest.createdAt)
    const log = segmentsOf && manifest.walArchive ? logFrom(startSegment, await segmentsOf(manifest.walArchive)) : null
    return { ...facts, createdAt, manifest, problem: null, log }
  } catch (error) {
    if (signal.aborted || !(error instanceof BackupError)) throw error
    const problem = error instanceof DamagedBackup ? 'Its beginning is damaged, or it is not a backup.' : error.message
    return { ...facts, createdAt: dated?.at ?? changedAt, manifest: null, problem, log: null }
  }
}

/** Follows the names of the segments, like a restore, because file times change when files are copied. */
const logFrom = (startSegment: string | null, objects: Parameters<typeof wholeLog>[0]): WholeLog =>
  startSegment === null ? { until: null, isBroken: false } : wholeLog(objects, startSegment)
