import { basename } from 'node:path'
import { arrayLiteral } from '../../db/arrays'
import type { Db } from '../../db/pool/open'
import type { Events } from '../../ops/log/events'
import type { BackupRetention } from '../../ops/settings/backup-settings'
import { placesStatement, pruneStatement } from '../log'
import type { BackupStore, Stored } from '../store'
import type { WalArchiver } from '../wal/process'
import { nameIn } from '../whereabouts'
import { exclusivelyOn } from './hold-lock'
import { datedBackups, expiredBackups, type ListedBackup, madeBySchedule, removeExpired, toKeepFileName } from './retention'

type Made = ListedBackup & { startedAt: string }

type ReplaceTask = {
  db: Db
  store: BackupStore
  /** The address of the backup that has just been made. */
  place: string
  retention: BackupRetention
  walArchiver: WalArchiver
  events: Events
}

/**
 * After a proven backup: removes what the schedule has made and the retention does not keep, and the log before. The
 * log stays if the earlier backups are not there: their disk may not be mounted.
 */
export async function replaceOlder({ db, store, place, retention, walArchiver, events }: ReplaceTask): Promise<void> {
  const made = await db.query<Made>(placesStatement)
  // Before the retention removes any.
  const isMissing = lacksEarlier(await store.list(), made, store, basename(place))
  const isReplaceable = madeBySchedule(made)
  for (const name of await removeExpired(store, basename(place), retention, isReplaceable, exclusivelyOn(db.sql)))
    events.emit({ kind: 'note', message: `Removed the backup ${name}, which ROWHOUSE_BACKUP_KEEP does not keep.` })
  if (isMissing) {
    events.emit({
      kind: 'warning',
      message: `The earlier backups are not in ${store.place}. Is its disk mounted? The log that follows them is kept.`,
    })
    return
  }
  const stored = await store.list()
  const sizes = new Map([...stored].map(([name, { bytes }]) => [name, bytes]))
  const oldest = oldestFollowed(sizes, made, retention)
  if (oldest) walArchiver.removeBefore(oldest)
  await db.query(pruneStatement, [arrayLiteral([...stored.keys()])])
}

/** Whether the database lists other proven backups in the store, and the store has not one of them. */
function lacksEarlier(stored: ReadonlyMap<string, Stored>, made: readonly Made[], store: BackupStore, newest: string): boolean {
  const earlier = made.flatMap(({ bytes, ...backup }) => {
    const name = nameIn(store, backup.place)
    return name === null || name === newest || name.endsWith('.unproven') ? [] : [{ name, bytes }]
  })
  return earlier.length > 0 && !earlier.some(({ name, bytes }) => stored.get(name)?.bytes === bytes)
}

/**
 * When the oldest backup began that the log is archived for: the schedule's, and others for as long as the retention
 * would keep them if the schedule had made them. A backup that a person keeps longer is restored as it is; otherwise
 * the archive would grow for as long as that backup exists. Returns null if there is no backup.
 */
export function oldestFollowed(sizes: ReadonlyMap<string, number>, made: readonly Made[], retention: BackupRetention): Date | null {
  const isReplaceable = madeBySchedule(made)
  const dated = datedBackups([...sizes.keys()], { isProven: true })
  const named = new Set(dated.map(({ name }) => name))
  const listed = made.flatMap(({ place, bytes, startedAt }) => {
    const name = basename(place)
    return !named.has(name) && sizes.has(name) && sizes.get(name) === bytes ? [{ name, at: new Date(startedAt) }] : []
  })
  const all = [...dated, ...listed]
  const expired = new Set(expiredBackups(all, retention))
  const isRemovable = (name: string) => isReplaceable(name, sizes.get(name)!) && !sizes.has(toKeepFileName(name))
  const times = all.filter((backup) => !expired.has(backup) || isRemovable(backup.name)).map(({ at }) => Number(at))
  return times.length === 0 ? null : new Date(Math.min(...times))
}
