import type { WalArchive } from '../../db/embedded/wal-archive'
import type { Config } from '../../ops/settings/config'
import { readObjectName } from './segment'
import { openArchiveStores, removeArchive } from './stores'

/** A bucket has its own clock. */
const clockMarginMs = 10 * 60_000

/**
 * Removes the log from before the start of the oldest retained backup: no retained backup needs it.
 * @param before when the oldest retained backup began
 * @returns the ids of earlier archives that are still there
 */
export async function removeOldLog(archive: WalArchive, before: Date, config: Config): Promise<string[]> {
  const limit = before.getTime() - clockMarginMs
  const left: string[] = []
  for (const id of [...archive.earlier, archive.id]) {
    const stores = openArchiveStores(archive.place, id, config)
    const isCurrent = id === archive.id
    let kept = 0
    for (const store of [stores.segments, stores.files]) {
      const found = await store.list().catch((error) => {
        if (!isCurrent && (error as { code?: string }).code === 'ENOENT') return new Map<string, never>()
        throw error
      })
      const names = [...found.keys()].filter((name) => readObjectName(name) !== null).sort()
      const timeOf = (name: string) => found.get(name)!.changedAt.getTime()
      const isYoung = (name: string) => timeOf(name) >= limit
      // A later segment that looks older was archived while the clock was slow. A time in the future says nothing about
      // the order.
      const first = names.find((name) => isYoung(name) && timeOf(name) <= Date.now() + clockMarginMs)
      const isNeeded = (name: string) => isYoung(name) || (first !== undefined && name >= first && readObjectName(name) !== null)
      // The newest segment shows where the archive continues.
      const newest = names.at(-1)
      for (const name of found.keys()) {
        const isKept = isNeeded(name) || (isCurrent && name === newest)
        if (isKept) kept++
        else await store.remove(name)
      }
    }
    if (isCurrent) continue
    if (kept > 0) left.push(id)
    else await removeArchive(archive.place, id, stores)
  }
  return left
}
