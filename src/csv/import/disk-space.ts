import { statfs } from 'node:fs/promises'
import { Failure, unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import type { Config } from '../../ops/settings/config'
import type { FileSize } from './log'

/**
 * The free space on the disk of the embedded PostgreSQL. A PostgreSQL that cannot write its log stops, and then all
 * requests fail, including reads. So imports stop before that. The disk of an external database is not known; that
 * database reports a full disk itself.
 */
export type DiskSpace = {
  /** @throws Failure insufficient_storage if this many more bytes do not fit */
  require: (bytes: number) => Promise<void>
  /**
   * Checks the same for a file that waits in the data directory for its turn, whether or not the database is embedded.
   * @throws Failure insufficient_storage
   */
  requireForQueue: (bytes: number) => Promise<void>
  /** Checks the space regularly. @returns a function that stops it */
  watch: (full: (failure: Failure) => void) => () => void
}

/** Disks write several hundred megabytes a second, and ROWHOUSE_MIN_FREE_BYTES should be larger than that. */
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
  throw Object.assign(unavailable(translatable('The data directory cannot be read, so nothing was imported.'), 5), { cause: error })
}

const diskFull = () =>
  new Failure('insufficient_storage', translatable('There is not enough disk space for this file; nothing was imported.'), {
    hint: translatable('Ask your administrator to free some space; ROWHOUSE_MIN_FREE_BYTES stays free.'),
  })

/** A PostgreSQL row has a header of 24 bytes, a few bytes for each value, and an entry in the index of its key. */
const rowBytes = 48
const entryBytes = 64
/**
 * The write-ahead log contains the written data again, and old pages. PostgreSQL reuses it beyond this size
 * (max_wal_size).
 */
const maxLogBytes = 2 ** 31

/**
 * An estimate of the bytes that the records will take on the disk: table, index and log. The staged copy of the file is
 * on the disk already.
 */
export function writtenBytes({ bytes, rows }: FileSize): number {
  const table = bytes + rows * rowBytes + rows * entryBytes
  return table + Math.min(table * 1.5, maxLogBytes)
}
