import { basename } from 'node:path'
import type { BackupRetention } from '../../ops/settings/backup-settings'
import type { BackupRequest } from '../log'
import { verificationOf } from '../proof/verify'
import type { BackupStore } from '../store'
import type { Exclusively } from './hold-lock'

/** A backup that was named by its time, with the time. */
export type DatedBackup = { name: string; at: Date }

const datedName = /^rowhouse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst(?:\.age)?(\.unproven)?$/

/** Selects the names that `resolveTarget` gives. The retention deletes no other file. */
export function datedBackups(names: readonly string[], { isProven }: { isProven: boolean }): DatedBackup[] {
  return names.flatMap((name) => {
    const [, year, month, day, hour, minute, second, unproven] = datedName.exec(name) ?? []
    if (!year || (unproven === undefined) !== isProven) return []
    const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
    return Number.isNaN(at.getTime()) ? [] : [{ name, at }]
  })
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** The Monday that the week begins with (ISO 8601). */
const weekOf = (at: Date) => dayOf(new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * 86_400_000))

const monthOf = (at: Date) => at.toISOString().slice(0, 7)

/**
 * What the retention does not keep. It keeps the newest ones, and for each period the newest backup of each of the last
 * days, weeks or months that have one, by UTC; so the newest of all always stays, and a service that stood still for a
 * month loses none.
 */
export function expiredBackups<Dated extends DatedBackup>(backups: readonly Dated[], retention: BackupRetention): Dated[] {
  if (!retention) return []
  const newestFirst = backups.toSorted((one, other) => other.at.getTime() - one.at.getTime())
  const retained = new Set<Dated>(newestFirst.slice(0, retention.last))
  for (const [periodOf, most] of [
    [dayOf, retention.daily],
    [weekOf, retention.weekly],
    [monthOf, retention.monthly],
  ] as const) {
    const seen = new Set<string>()
    for (const backup of newestFirst) {
      const period = periodOf(backup.at)
      if (seen.has(period)) continue
      if (seen.size >= most) break
      seen.add(period)
      retained.add(backup)
    }
  }
  return newestFirst.filter((backup) => !retained.has(backup))
}

export const newestOnly: BackupRetention = { last: 1, daily: 0, weekly: 0, monthly: 0 }

/** An entry of the list: where a backup was written to, and who asked for it. */
export type ListedBackup = { place: string; bytes: number | null; origin: BackupRequest['origin'] }

/**
 * Whether a file is the schedule's to replace: the list says that the schedule has made it. What a person has made is
 * not, nor is what the list does not know: it may be another installation's, or of the time before a restore. Another
 * path may lead to the same folder by now, so name and size decide.
 */
export function madeBySchedule(listed: readonly ListedBackup[]): (name: string, bytes: number) => boolean {
  const origins = new Map<string, Set<BackupRequest['origin']>>()
  for (const { place, bytes, origin } of listed) {
    const key = `${basename(place)} ${bytes}`
    origins.set(key, (origins.get(key) ?? new Set()).add(origin))
  }
  return (name, bytes) => {
    const found = origins.get(`${name} ${bytes}`)
    return found?.size === 1 && found.has('schedule')
  }
}

/** A file beside a backup that says that a person wants to keep it. It outlives the database and its list. */
export const toKeepFileName = (name: string): string => `${name}.keep`

/** What a hold says inside. S3 takes no upload without a byte. */
export const keepFileText = 'ROWHOUSE_BACKUP_KEEP does not remove the backup of this name.\n'

/**
 * Removes what the setting does not keep. Call it only after a proven backup. The newest unproven one stays, so that
 * somebody can examine it.
 * @param made the name of that backup, which stays even if the clock was ahead when another one was made
 * @param isReplaceable whether a file may be removed at all
 * @param exclusively for each removal
 * @returns the names of those that were removed
 */
export async function removeExpired(
  from: BackupStore,
  made: string,
  retention: BackupRetention,
  isReplaceable: (name: string, bytes: number) => boolean,
  exclusively: Exclusively,
): Promise<string[]> {
  if (!retention) return []
  const stored = await from.list()
  const own = [...stored].filter(([name, { bytes }]) => isReplaceable(name, bytes)).map(([name]) => name)
  const proven = expiredBackups(datedBackups(own, { isProven: true }), retention)
  const unproven = expiredBackups(datedBackups(own, { isProven: false }), newestOnly)
  const removed: string[] = []
  for (const { name } of [...proven, ...unproven]) {
    if (name === made) continue
    // A person may set a hold after the first list.
    if (await exclusively(() => removeUnlessHeld(from, name))) removed.push(name)
  }
  return removed
}

async function removeUnlessHeld(from: BackupStore, name: string): Promise<boolean> {
  const beside = await from.list(name)
  if (beside.has(toKeepFileName(name))) return false
  await from.remove(name)
  if (beside.has(verificationOf(name))) await from.remove(verificationOf(name))
  return true
}
