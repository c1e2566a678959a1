import { basename } from 'node:path'
import { arrayLiteral } from '../../db/arrays'
import type { Db } from '../../db/pool/open'
import type { Events } from '../../ops/log/events'
import type { BackupRetention } from '../../ops/settings/backup-settings'
import { placesStatement, pruneStatement } from '../log'
import { type BackupStore, oneChunk } from '../store'
import type { WalArchiver } from '../wal/process'
import { nameIn } from '../whereabouts'
import { exclusivelyOn } from './hold-lock'
import { datedBackups, expiredBackups, type ListedBackup, madeBySchedule, removeExpired, toKeepFileName } from './retention'

type Made = ListedBackup & { startedAt: string }

type ReplaceTask = {
  db: Db
  store: BackupStore
  /** The location of the backup that was just made. */
  place: string
  retention: BackupRetention
  walArchiver: WalArchiver
  events: Events
}

/** The file that marks a backup that was made while the earlier backups were missing from the store. */
const toAloneFileName = (name: string): string => `${name}.alone`

const aloneFileText = 'The earlier backups were not here when the backup of this name was made. The log that follows them is kept.\n'

/**
 * After a proven backup, removes the scheduled backups that the retention does not cover, and the log from before the
 * remaining ones. The log remains if the earlier backups are missing: their disk may not be mounted.
 */
export async function replaceOlder({ db, store, place, retention, walArchiver, events }: ReplaceTask): Promise<void> {
  const made = await db.query<Made>(placesStatement)
  // Done before the retention removes any backup.
  const isMissing = await lacksEarlier(store, made, basename(place), events)
  const isReplaceable = madeBySchedule(made)
  for (const name of await removeExpired(store, basename(place), retention, isReplaceable, exclusivelyOn(db.sql)))
    events.emit({ kind: 'note', message: `Removed the backup ${name}, which ROWHOUSE_BACKUP_KEEP does not keep.` })
  if (isMissing) return
  const stored = await store.list()
  const sizes = new Map([...stored].map(([name, { bytes }]) => [name, bytes]))
  const oldest = oldestFollowed(sizes, made, retention)
  if (oldest) walArchiver.removeBefore(oldest)
  await db.query(pruneStatement, [arrayLiteral([...stored.keys()])])
}

/**
 * Whether the database lists other proven backups but all of them are missing from the store; warns if so. Later the
 * store contains newer backups, so a file marks the first of them, and only backups from before it count.
 */
async function lacksEarlier(store: BackupStore, made: readonly Made[], newest: string, events: Events): Promise<boolean> {
  const stored = await store.list()
  const listed = made.flatMap((backup) => {
    const name = nameIn(store, backup.place)
    return name === null || name.endsWith('.unproven') ? [] : [{ name, bytes: backup.bytes, at: Date.parse(backup.startedAt) }]
  })
  const marked = listed.find(({ name }) => stored.has(toAloneFileName(name)))
  const earlier = listed.filter(({ name, at }) => (marked ? at < marked.at : name !== newest))
  const marker = toAloneFileName(marked?.name ?? newest)
  if (earlier.length === 0 || earlier.some(({ name, bytes }) => stored.get(name)?.bytes === bytes)) {
    if (marked) await store.remove(marker)
    return false
  }
  events.emit({
    kind: 'warning',
    message: `The earlier backups are not in ${store.place}. Is its disk mounted? The log that follows them is kept. If they are gone for good, remove ${marker} there.`,
  })
  if (!marked) await store.write(marker, oneChunk(aloneFileText), AbortSignal.timeout(maxMarkMs))
  return true
}

/** A bucket that does not respond must not delay the schedule. */
const maxMarkMs = 60_000

/**
 * The start of the oldest backup that needs the archived log: scheduled ones, and others for as long as the retention
 * would cover them if they were scheduled. A backup that a person keeps for longer is restored without the log, since
 * the archive would otherwise grow for as long as that backup exists. Returns null if there is no backup.
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
