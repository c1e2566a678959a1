import { withTimeout } from '../../timeout'
import type { BackupStore, Stored } from '../store'

/** What is kept where the service writes backups to, as it was a moment ago. */
export type StoreWatch = {
  /**
   * Empty where the folder is gone; null where it could never be listed. Does not wait for a disk or a bucket that does
   * not answer.
   */
  names: () => Promise<ReadonlyMap<string, Stored> | null>
  /** The next one asks again. */
  forget: () => void
}

const maxWaitMs = 1000

/** @param maxAgeMs how old an answer may be; a bucket takes money for each */
export function watchStore(store: BackupStore, maxAgeMs: number): StoreWatch {
  let known: ReadonlyMap<string, Stored> | null = null
  let listedAt = Number.NEGATIVE_INFINITY
  // One at a time: a disk that hangs takes one thread and no more.
  let listing: Promise<void> | null = null
  let forgotten = 0
  const list = async () => {
    const [askedAt, asked] = [performance.now(), forgotten]
    known = await store.list().catch(emptyIfGone)
    if (asked === forgotten) listedAt = askedAt
  }
  return {
    names: async () => {
      if (performance.now() - listedAt < maxAgeMs) return known
      listing ??= list()
        .catch(() => {})
        .finally(() => {
          listing = null
        })
      await withTimeout(listing, maxWaitMs, () => {})
      return known
    },
    forget: () => {
      forgotten++
      listedAt = Number.NEGATIVE_INFINITY
    },
  }
}

/** What was in a folder that is gone is gone, too. */
function emptyIfGone(error: NodeJS.ErrnoException): ReadonlyMap<string, Stored> {
  if (error.code === 'ENOENT') return new Map()
  throw error
}
