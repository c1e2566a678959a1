import type { Config } from '../../ops/config'
import type { BackupManifest } from '../archive/manifest'
import { readManifestOf } from '../archive/reader'
import { BackupError, DamagedBackup } from '../errors'
import { trialOf } from '../proof/verify'
import { datedBackups, toKeepFileName } from '../schedule/retention'
import { type BackupStore, readStored, type Stored } from '../store'
import { openArchiveStores } from '../wal/stores'
import { type LogWindow, windowOf } from './window'

/** A file of a backup, as the place that it is in tells of it: no database is asked. */
export type FoundBackup = {
  name: string
  place: string
  bytes: number
  /** When it began; by its name or its time where it cannot be read. */
  createdAt: Date
  /** By its name: a backup that could not be restored as it should ends with `.unproven`. */
  isProven: boolean
  isHeld: boolean
  /** When it was last tried out again. */
  triedAt: Date | null
  /** Of its beginning; null where that cannot be read, and `problem` says why. */
  manifest: BackupManifest | null
  problem: string | null
  /** Along the archive of its log; null where none is named, or it has none. */
  log: LogWindow | null
}

const backupName = /\.tar\.zst(\.age)?(\.unproven)?$/

type InventoryOptions = {
  store: BackupStore
  /** Of the log; left out, nothing is said of points in time. */
  walArchive: string | undefined
  passphrase: string | undefined
  config: Config
  signal: AbortSignal
}

/** The newest first. @throws what the store says where it cannot be listed */
export async function listBackups(options: InventoryOptions): Promise<FoundBackup[]> {
  const { store } = options
  const stored = await store.list()
  const segmentsOf = archiveReader(options)
  const found: FoundBackup[] = []
  // One after the other: each that is encrypted takes 128 MB for a moment.
  for (const [name, file] of stored) {
    if (!backupName.test(name) || name.includes('/')) continue
    found.push({
      ...(await inspect(name, file, options, segmentsOf)),
      isHeld: stored.has(toKeepFileName(name)),
      triedAt: stored.get(trialOf(name))?.changedAt ?? null,
    })
  }
  return found.toSorted((one, other) => Number(other.createdAt) - Number(one.createdAt))
}

type SegmentsOf = (id: string) => Promise<ReadonlyMap<string, Stored>>

/** Each archive is listed once. */
function archiveReader({ walArchive: place, config }: InventoryOptions): SegmentsOf | null {
  if (place === undefined) return null
  const listed = new Map<string, Promise<ReadonlyMap<string, Stored>>>()
  return (id) => {
    const segments = listed.get(id) ?? openArchiveStores(place, id, config).segments.list().catch(emptyIfMissing)
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
): Promise<Omit<FoundBackup, 'isHeld' | 'triedAt'>> {
  const isProven = !name.endsWith('.unproven')
  const [dated] = datedBackups([name], { isProven })
  const facts = { name, place: store.place + name, bytes, isProven }
  try {
    const manifest = await readManifestOf(readStored(store, name), passphrase, signal)
    const createdAt = new Date(manifest.createdAt)
    const log = segmentsOf && manifest.walArchive ? windowOf(await segmentsOf(manifest.walArchive), createdAt) : null
    return { ...facts, createdAt, manifest, problem: null, log }
  } catch (error) {
    if (signal.aborted || !(error instanceof BackupError)) throw error
    const problem = error instanceof DamagedBackup ? 'Its beginning is damaged, or it is no backup.' : error.message
    return { ...facts, createdAt: dated?.at ?? changedAt, manifest: null, problem, log: null }
  }
}
