import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Config } from '../ops/settings/config'
import { withTimeout } from '../timeout'
import { isUrl, objectSize, openBucket } from './bucket'
import type { BackupStore, Stored } from './store'

/** The size of the file at a location, `gone`, or `unknown` if its disk or bucket does not respond. */
type Whereabouts = number | 'gone' | 'unknown'

/** The maximum time that the page of backups waits for a disk or a bucket. */
export const maxWaitMs = 4000

/** The name of a file directly in the store; null for a file elsewhere. */
export const nameIn = (store: BackupStore | null, place: string | null): string | null =>
  store && place?.startsWith(store.place) && !place.slice(store.place.length).includes('/') ? place.slice(store.place.length) : null

/**
 * Looks for backups in the locations to which they were written.
 * @param stored the files in the store; null if it does not respond
 */
export async function findBackups(
  places: readonly string[],
  { store, stored, config }: { store: BackupStore | null; stored: ReadonlyMap<string, Stored> | null; config: Config },
): Promise<ReadonlyMap<string, Whereabouts>> {
  const found = new Map<string, Whereabouts>()
  const look = async (place: string): Promise<Whereabouts> => {
    if (nameIn(store, place) !== null) return stored === null ? 'unknown' : (stored.get(basename(place))?.bytes ?? 'gone')
    return isUrl(place) ? ((await objectSize(openBucket(place, config))) ?? 'gone') : sizeOf(place)
  }
  const looking = places.map(async (place) => {
    found.set(place, 'unknown')
    found.set(place, await look(place).catch(() => 'unknown' as const))
  })
  await withTimeout(
    Promise.all(looking).then(() => {}),
    maxWaitMs,
    () => {},
  )
  return new Map(found)
}

async function sizeOf(path: string): Promise<Whereabouts> {
  try {
    return (await stat(path)).size
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as { code?: string }).code ?? '') ? 'gone' : 'unknown'
  }
}
