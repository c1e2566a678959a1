import { megabytes } from '../../backup/disk-space'
import { explainSystemError } from '../../backup/errors'
import { type FoundBackup, listBackups } from '../../backup/inventory/list'
import { mergeWindows, type TimeWindow } from '../../backup/inventory/window'
import { openStore } from '../../backup/store'
import { UsageError } from '../arguments'
import { type Command, s3Settings } from '../command'
import { readPassphrase } from './backup'
import { withInterruption } from './interruption'

export const backupsCommand: Command = {
  name: 'backups',
  arguments: 'PLACE',
  summary: 'List the backups of a folder or bucket, and the times that can be restored to.',
  description: [
    'Reads the beginning of each backup in PLACE (a folder or s3://bucket/folder/; without one, ROWHOUSE_BACKUP_TO): when it was made, its size, whether it was proven or found damaged since, and whether somebody keeps it.',
    'With ROWHOUSE_WAL_ARCHIVE it says up to when each can be restored. It needs neither the service nor its database.',
    'Exits with 0, also where there is none; 1 where the place cannot be read.',
  ].join(' '),
  settings: ['backupTo', 'walArchive', 'backupPassphraseFile', ...s3Settings],
  switches: { json: 'Print one JSON object.' },
  run: async ({ config, environment, positionals: [given], switches }) => {
    const place = given ?? config.backupTo
    if (place === undefined) throw new UsageError('Usage: rowhouse backups PLACE, or set ROWHOUSE_BACKUP_TO')
    const passphrase = readPassphrase(config, environment)
    const store = openStore(place, config)
    const found = await withInterruption((signal) =>
      listBackups({ store, walArchive: config.walArchive, passphrase, config, signal }).catch((error) => {
        throw explainSystemError(error, store.place, 'read')
      }),
    )
    const now = Date.now()
    console.log(switches.has('json') ? JSON.stringify(toJson(store.place, found, now), null, 2) : describe(store.place, found, now))
    return 0
  },
}

function proofOf({ isProven, isDamaged, problem }: FoundBackup): 'proven' | 'unproven' | 'unreadable' | 'damaged' {
  if (isDamaged) return 'damaged'
  if (problem !== null) return 'unreadable'
  return isProven ? 'proven' : 'unproven'
}

/** A backup without a WAL archive still has its own time. */
const windowsOf = (found: readonly FoundBackup[]): TimeWindow[] =>
  mergeWindows(
    found
      .filter((backup) => proofOf(backup) === 'proven')
      .map(({ createdAt, log }) => ({ from: createdAt, until: log?.until ?? createdAt })),
  )

function toJson(place: string, found: readonly FoundBackup[], now: number) {
  return {
    place,
    backups: found.map((backup) => ({
      name: backup.name,
      place: backup.place,
      createdAt: backup.createdAt.toISOString(),
      ageSeconds: Math.round((now - backup.createdAt.getTime()) / 1000),
      bytes: backup.bytes,
      proof: proofOf(backup),
      isHeld: backup.isHeld,
      triedAt: backup.triedAt?.toISOString() ?? null,
      rowhouse: backup.manifest?.rowhouse ?? null,
      restorableUntil: backup.log?.until?.toISOString() ?? null,
      isLogBroken: backup.log?.isBroken ?? false,
      problem: backup.problem,
    })),
    windows: windowsOf(found).map(({ from, until }) => ({ from: from.toISOString(), until: until.toISOString() })),
  }
}

function describe(place: string, found: readonly FoundBackup[], now: number): string {
  if (found.length === 0) return `There is no backup in ${place}: no file whose name ends in .tar.zst or .tar.zst.age.`
  const rows = found.map((backup) => [
    backup.name,
    ageText(now - backup.createdAt.getTime()),
    megabytes(backup.bytes),
    proofOf(backup) + (backup.isHeld ? ', kept' : ''),
    logText(backup),
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const windows = windowsOf(found).map(({ from, until }) =>
    from.getTime() === until.getTime() ? `  ${from.toISOString()}` : `  ${from.toISOString()} to ${until.toISOString()}`,
  )
  return [...lines, ...(windows.length > 0 ? ['', 'Times that can be restored to:', ...windows] : [])].join('\n')
}

function logText({ log, problem }: FoundBackup): string {
  if (problem !== null) return problem
  if (log === null) return ''
  const until = log.until ? `up to ${log.until.toISOString()}` : 'no log yet'
  return log.isBroken ? `${until}; the log has a gap there` : until
}

/** `5 min`, `3 h`, `12 d`. */
function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 120) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`
}
