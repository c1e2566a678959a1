import { Cron } from 'croner'
import { isTimeZone } from '../../time-zone'
import { oneOf, type Setting, textValue } from './setting-readers'

/** A path of a folder, or `s3://bucket/folder/`. */
function readPlace(text: string): string {
  if (!text.includes('://') || /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[^?#]*)?$/.test(text)) return text
  throw new Error('must be a folder, or s3://bucket/folder/')
}

/** The times of a recurring task. `next` is null if there is none within some years, as for February 30. */
export type Schedule = { text: string; next: (after: Date) => Date | null }

/**
 * How many backups to keep: the newest, and one per day, week and month for the given numbers of them; null for all.
 */
export type BackupRetention = { last: number; daily: number; weekly: number; monthly: number } | null

const notASchedule = `must be five fields as in crontab (minute, hour, day of the month, month, day of the week), and perhaps a time zone`

/**
 * Five fields as in crontab(5), optionally followed by an IANA time zone; without one, that of the machine. A time
 * skipped when the clock is put forward runs at the end of the gap; a time repeated when it is put back runs once.
 */
export function readSchedule(text: string): Schedule {
  const fields = text.trim().split(/\s+/)
  const [pattern, zone] = /^@\w+$/.test(fields[0] ?? '') ? [fields[0]!, fields.slice(1)] : [fields.slice(0, 5).join(' '), fields.slice(5)]
  if (zone.length > 1) throw new Error(notASchedule)
  const timezone = zone[0] ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!isTimeZone(timezone)) throw new Error('names a time zone that does not exist')
  try {
    const cron = new Cron(pattern, { timezone, paused: true, mode: '5-part' })
    return { text: `${pattern} ${timezone}`, next: (after) => cron.nextRun(after) }
  } catch {
    throw new Error(notASchedule)
  }
}

/** `last 3, 7 daily, 4 weekly, 12 monthly`; a missing kind counts as 0. `all` keeps all of them. */
export function readRetention(text: string): BackupRetention {
  if (text.trim() === 'all') return null
  const counts = { last: 0, daily: 0, weekly: 0, monthly: 0 }
  for (const part of text.split(',')) {
    const { count, period, newest } =
      /^\s*(?:(?<count>\d{1,4})\s+(?<period>daily|weekly|monthly)|last\s+(?<newest>\d{1,4}))\s*$/.exec(part)?.groups ?? {}
    if (newest) counts.last = Number(newest)
    else if (count && period) counts[period as keyof typeof counts] = Number(count)
    else throw new Error('must be numbers of backups separated by commas, such as last 3, 7 daily, 4 weekly, 12 monthly; or all')
  }
  if (counts.last + counts.daily + counts.weekly + counts.monthly === 0) throw new Error('must keep at least one backup')
  return counts
}

/** Settings of backups, manual and scheduled. */
export const backupSettings = {
  backupPassphraseFile: {
    env: 'ROWHOUSE_PASSPHRASE_FILE',
    flag: 'passphrase-file',
    example: '/run/secrets/rowhouse-backup',
    help: 'File whose first line is the passphrase that encrypts and decrypts backups.',
    read: textValue,
  },
  backupTo: {
    env: 'ROWHOUSE_BACKUP_TO',
    flag: 'backup-to',
    example: '/backups',
    help: 'Folder for scheduled backups, or s3://bucket/folder/ (with the key and the endpoint of S3). A folder must exist, outside of the database and its files.',
    read: readPlace,
  },
  backupSchedule: {
    env: 'ROWHOUSE_BACKUP_SCHEDULE',
    flag: 'backup-schedule',
    default: '15 3 * * *',
    example: '15 3 * * * Europe/Berlin',
    help: 'When the scheduled backups are made: five fields as in crontab, then a time zone (the machine’s if it is left out).',
    read: readSchedule,
  },
  backupKeep: {
    env: 'ROWHOUSE_BACKUP_KEEP',
    flag: 'backup-keep',
    default: 'last 3, 7 daily, 4 weekly, 12 monthly',
    example: 'last 5, 14 daily, 8 weekly',
    help: 'Scheduled backups to keep when a new one is proven; all keeps every one. Backups that a person has made are never removed.',
    read: readRetention,
  },
  walArchive: {
    env: 'ROWHOUSE_WAL_ARCHIVE',
    flag: 'wal-archive',
    example: '/backups/wal',
    help: 'Folder, or s3://bucket/folder/, to which the log of the embedded database and new attachments are archived continuously, so that a backup can be restored to any later time (docs/backup.md). A folder must exist.',
    read: readPlace,
  },
  upgradeBackup: {
    env: 'ROWHOUSE_UPGRADE_BACKUP',
    flag: 'upgrade-backup',
    default: 'auto',
    example: 'always',
    help: 'Whether a start backs up the database before it upgrades it: auto (unless the upgrade only adds to it), always or off.',
    read: oneOf('auto', 'always', 'off'),
  },
} satisfies Record<string, Setting<unknown>>
