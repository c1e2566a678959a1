import type { BackupRetention } from '../../ops/backup-settings'
import type { BackupStore } from '../store'

/** A backup that was named by its time, with the time. */
export type DatedBackup = { name: string; at: Date }

const datedName = /^rowhouse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst(?:\.age)?(\.unproven)?$/

/** Of the names in a folder those that `resolveTarget` gives; no other file is ever deleted. */
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
 * What the retention does not keep. For each period it keeps the newest backup of each of the last days, weeks or
 * months that have one, by UTC; so the newest of all always stays, and a service that stood still for a month loses
 * none.
 */
export function expiredBackups(backups: readonly DatedBackup[], retention: BackupRetention): DatedBackup[] {
  if (!retention) return []
  const newestFirst = backups.toSorted((one, other) => other.at.getTime() - one.at.getTime())
  const kept = new Set<DatedBackup>()
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
      kept.add(backup)
    }
  }
  return newestFirst.filter((backup) => !kept.has(backup))
}

export const newestOnly: BackupRetention = { daily: 1, weekly: 0, monthly: 0 }

/**
 * Removes what the setting does not keep. Only behind a proven one; of those that are not, the newest stays: somebody
 * may want to see what is wrong.
 * @returns the names of those that were removed
 */
export async function removeExpired(from: BackupStore, retention: BackupRetention): Promise<string[]> {
  const names = [...(await from.list()).keys()]
  const unproven = expiredBackups(datedBackups(names, { isProven: false }), newestOnly)
  const expired = [...expiredBackups(datedBackups(names, { isProven: true }), retention), ...(retention ? unproven : [])]
  for (const { name } of expired) await from.remove(name)
  return expired.map(({ name }) => name)
}
