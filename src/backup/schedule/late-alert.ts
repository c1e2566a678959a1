import type { Events } from '../../ops/log/events'
import type { Schedule } from '../../ops/settings/backup-settings'

const repeatMs = 24 * 3_600_000

/**
 * Sends an alert when backups become late, and again each day while they are. `ageSeconds`: the age of the last proven
 * backup.
 */
export function createLateAlert(place: string, events: Events): (state: { isLate: boolean; ageSeconds: number | null }) => void {
  let notifiedAt: number | null = null
  return ({ isLate, ageSeconds }) => {
    if (!isLate) notifiedAt = null
    else if (notifiedAt === null || Date.now() - notifiedAt > repeatMs) {
      notifiedAt = Date.now()
      const age = ageSeconds === null ? 'There is no proven backup yet' : `The last proven backup began ${describeAge(ageSeconds)} ago`
      events.emit({ kind: 'alert', alert: 'backup_late', message: `The backup is late. ${age} (${place}).` })
    }
  }
}

/** Whether a running backup has taken so long that the next one is already due. */
export function isOverdue(schedule: Schedule, startedAt: Date, now: Date): boolean {
  const next = schedule.next(startedAt)
  return next !== null && next <= now
}

const describeAge = (seconds: number) => (seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`)
