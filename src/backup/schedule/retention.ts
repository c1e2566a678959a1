import { basename } from 'node:path'
import type { BackupRetention } from '../../ops/settings/backup-settings'
import type { BackupRequest } from '../log'
import { readDamage, verificationOf } from '../proof/verify'
import type { BackupStore, Stored } from '../store'
import type { Exclusively } from './hold-lock'

/** A backup that is named after its time, with that time. */
export type DatedBackup = { name: string; at: Date }

const datedName = /^rowhouse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst(?:\.age)?(\.unproven)?$/

/** Selects names in the form that `resolveTarget` creates. The retention deletes no other files. */
export function datedBackups(names: readonly string[], { isProven }: { isProven: boolean }): DatedBackup[] {
  return names.flatMap((name) => {
    const [, year, month, day, hour, minute, second, unproven] = datedName.exec(name) ?? []
    if (!year || (unproven === undefined) !== isProven) return []
    const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
    return Number.isNaN(at.getTime()) ? [] : [{ name, at }]
  })
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** The Monday of the week (ISO 8601). */
const weekOf = (at: Date) => dayOf(new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * 86_400_000))

const monthOf = (at: Date) => at.toISOString().slice(0, 7)

/**
 * The backups that the retention does not cover. It covers the newest backups, and the newest backup of each of the
 * last days, weeks and months that have one, in UTC. So the newest backup is always kept, and a service that was off
 * for a month loses none.
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

/** An entry of the list: the location, size and origin of a backup. */
export type ListedBackup = { place: string; bytes: number | null; origin: BackupRequest['origin'] }

/**
 * Whether the schedule may replace a file: only if, according to the list, the schedule made it and not a person. A
 * file that is not in the list may belong to another installation, or to the time before a restore. The folder may now
 * have another path, so name and size decide.
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

/**
 * The file that marks a backup as held, so that it is not removed. Unlike the list, it does not depend on the database.
 */
export const toKeepFileName = (name: string): string => `${name}.keep`

/** The content of a file that marks a hold: S3 does not accept an empty upload. */
export const keepFileText = 'ROWHOUSE_BACKUP_KEEP does not remove the backup of this name.\n'

/**
 * Removes the backups that the setting does not cover. Must be called only after a proven backup. The newest unproven
 * backup remains for examination. A damaged backup does not replace an intact one.
 * @param made the name of that proven backup, which remains even if the clock was ahead when another one was made
 * @param isReplaceable whether a file may be removed at all
 * @param exclusively runs each removal
 * @returns the names of the removed backups
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
  const proven = await expiredProven(from, stored, datedBackups(own, { isProven: true }), retention)
  const unproven = expiredBackups(datedBackups(own, { isProven: false }), newestOnly)
  const removed: string[] = []
  for (const { name } of [...proven, ...unproven]) {
    if (name === made) continue
    // A hold may have been set after the first listing.
    if (await exclusively(() => removeUnlessHeld(from, name))) removed.push(name)
  }
  return removed
}

/** A backup remains if the retention covers it among all backups, or among those that are not known to be damaged. */
async function expiredProven(
  from: BackupStore,
  stored: ReadonlyMap<string, Stored>,
  proven: readonly DatedBackup[],
  retention: BackupRetention,
): Promise<DatedBackup[]> {
  const expired = expiredBackups(proven, retention)
  if (expired.length === 0) return []
  const damaged = new Set<DatedBackup>()
  for (const backup of proven) {
    const result = stored.get(verificationOf(backup.name))
    const damage = result ? await readDamage(from, backup.name, result).catch(() => null) : null
    if (damage !== null) damaged.add(backup)
  }
  const intact = proven.filter((backup) => !damaged.has(backup))
  const expiredIntact = new Set(expiredBackups(intact, retention))
  return expired.filter((backup) => damaged.has(backup) || expiredIntact.has(backup))
}

async function removeUnlessHeld(from: BackupStore, name: string): Promise<boolean> {
  const beside = await from.list(name)
  if (beside.has(toKeepFileName(name))) return false
  await from.remove(name)
  if (beside.has(verificationOf(name))) await from.remove(verificationOf(name))
  return true
}
