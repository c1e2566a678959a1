import { withTimeout } from '../../timeout'
import { readDamage, verificationOf } from '../proof/verify'
import type { BackupStore, Stored } from '../store'

type WatchedFile = Stored & { isDamaged?: boolean }

/** A recent list of the store that the service writes backups to. */
export type StoreWatch = {
  /**
   * Empty if the folder is gone; null if it could never be listed. Does not wait for a disk or a bucket that does not
   * respond.
   */
  names: () => Promise<ReadonlyMap<string, WatchedFile> | null>
  /** Makes the next call list the store again. */
  forget: () => void
}

const maxWaitMs = 1000

/** @param maxAgeMs the maximum age of a list; a bucket charges for each */
export function watchStore(store: BackupStore, maxAgeMs: number): StoreWatch {
  const markDamaged = damageMarker(store)
  let cached: ReadonlyMap<string, WatchedFile> | null = null
  let listedAt = Number.NEGATIVE_INFINITY
  // One at a time, so that a disk that hangs blocks only one thread.
  let listing: Promise<boolean> | null = null
  let forgotten = 0
  /** @returns whether the list was invalidated in the meantime: it may then lack a new backup */
  const list = async () => {
    const [askedAt, asked] = [performance.now(), forgotten]
    cached = await markDamaged(await store.list().catch(emptyIfGone))
    if (asked === forgotten) listedAt = askedAt
    return asked !== forgotten
  }
  return {
    names: async () => {
      const deadline = performance.now() + maxWaitMs
      for (let isOutdated = true; isOutdated && performance.now() - listedAt >= maxAgeMs; ) {
        listing ??= list()
          .catch(() => false)
          .finally(() => {
            listing = null
          })
        isOutdated = await withTimeout(listing, Math.max(0, deadline - performance.now()), () => false)
      }
      return cached
    },
    forget: () => {
      forgotten++
      listedAt = Number.NEGATIVE_INFINITY
    },
  }
}

/** A folder that no longer exists has no backups. */
function emptyIfGone(error: NodeJS.ErrnoException): ReadonlyMap<string, Stored> {
  if (error.code === 'ENOENT') return new Map()
  throw error
}

/** Marks the backups whose last verification found damage. Each result is read once. */
function damageMarker(store: BackupStore): (stored: ReadonlyMap<string, Stored>) => Promise<Map<string, WatchedFile>> {
  const results = new Map<string, { at: number; isDamaged: boolean }>()
  const isDamaged = async (name: string, tried: Stored): Promise<boolean> => {
    const at = tried.changedAt.getTime()
    const before = results.get(name)
    if (before?.at === at) return before.isDamaged
    const result = { at, isDamaged: (await readDamage(store, name, tried)) !== null }
    results.set(name, result)
    return result.isDamaged
  }
  return async (stored) => {
    const marked = new Map<string, WatchedFile>(stored)
    for (const [name, file] of stored) {
      const tried = stored.get(verificationOf(name))
      if (tried && (await isDamaged(name, tried).catch(() => false))) marked.set(name, { ...file, isDamaged: true })
    }
    return marked
  }
}
