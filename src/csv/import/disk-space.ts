import { statfs } from 'node:fs/promises'
import { Failure, unavailable } from '../../errors'
import type { Config } from '../../ops/config'
import type { FileSize } from './log'

/**
 * Room on the disk of the database inside. A PostgreSQL that cannot write its log ends at once and takes all requests
 * with it, reads as well, so imports stop before. Of a team's own database nothing is known; it says by itself that its
 * disk is full.
 */
export type DiskSpace = {
  /** @throws Failure insufficient_storage where so much more does not fit */
  require: (bytes: number) => Promise<void>
  /**
   * The same for a file that is kept in the data directory until its turn, wherever the database is.
   * @throws Failure insufficient_storage
   */
  requireForQueue: (bytes: number) => Promise<void>
  /** Looks again and again, until what it returns is called. */
  watch: (full: (failure: Failure) => void) => () => void
}

/** Disks are written at some hundred megabytes a second, and ROWHOUSE_MIN_FREE_BYTES is meant to be more than that. */
const lookEveryMs = 100

export function createDiskSpace({ databaseUrl, dataDir, minFreeBytes }: Config): DiskSpace {
  const spareBytes = async () => {
    const { bavail, bsize } = await statfs(dataDir).catch(throwUnreadable)
    return bavail * bsize - minFreeBytes
  }
  const requireBytes = async (bytes: number) => {
    if ((await spareBytes()) < bytes) throw diskFull()
  }
  if (databaseUrl) return { require: async () => {}, requireForQueue: requireBytes, watch: () => () => {} }
  return {
    require: requireBytes,
    requireForQueue: requireBytes,
    watch: (full) => {
      const look = async () => {
        if ((await spareBytes()) < 0) full(diskFull())
      }
      const timer = setInterval(() => void look().catch(() => {}), lookEveryMs)
      return () => clearInterval(timer)
    },
  }
}

function throwUnreadable(error: unknown): never {
  throw Object.assign(unavailable('The data directory cannot be read, so nothing was imported.', 5), { cause: error })
}

const diskFull = () =>
  new Failure('insufficient_storage', 'The disk has no room for this file; nothing was imported.', {
    hint: 'Ask who keeps the service to free some space; ROWHOUSE_MIN_FREE_BYTES is left free.',
  })

/** A row of PostgreSQL has a head of 24 bytes and some for each value, and an entry in the index of its key. */
const rowBytes = 48
const entryBytes = 64
/**
 * The log of what is written holds it once more, and pages as they were; it is used again beyond this size
 * (max_wal_size).
 */
const maxLogBytes = 2 ** 31

/** What the records will take on the disk, besides the copy of the file that is there already: table, index and log. */
export function writtenBytes({ bytes, rows }: FileSize): number {
  const table = bytes + rows * rowBytes + rows * entryBytes
  return table + Math.min(table * 1.5, maxLogBytes)
}
