import { Failure } from '../errors'
import { isDiskFull } from '../ops/disk-full'

/** A backup cannot be made, read or restored; the message gives the reason and the remedy. */
export class BackupError extends Error {}

/** The file is not the one that was written, or its database cannot be used. The command exits with 3. */
export class DamagedBackup extends BackupError {}

/** The passphrase is missing or wrong. */
export class WrongPassphrase extends BackupError {}

/** The backup could not be read from its location, so it is unknown whether it is intact. */
export class UnreadableStore extends BackupError {}

/** S3 has received the whole object and may have stored it. */
export class UncertainUpload extends BackupError {}

/** PostgreSQL did not respond on the copy, so it is unknown whether the backup is intact. */
export class UntriedBackup extends BackupError {}

/** Another instance is making a backup of the same database. */
export class BackupUnderWay extends BackupError {}

/** For `--to` or `--before-request` with a database whose log Rowhouse does not archive. */
export const noPointInTime =
  '--to and --before-request work only with the log of the embedded database. To restore a database of DATABASE_URL to a point in time, use the tool that archives its log: pgBackRest, CloudNativePG or your provider (docs/backup.md).'

export const damagedBackup = (reason: string): DamagedBackup =>
  new DamagedBackup(`This backup is damaged or was cut off (${reason}). Nothing was changed.`)

export const notABackup = (): DamagedBackup => new DamagedBackup('This is not a backup of Rowhouse.')

type SystemError = Error & { code?: string; path?: string; syscall?: string }

const readingCalls = new Set(['read', 'stat', 'lstat', 'fstat', 'scandir', 'statfs'])

/**
 * Turns an error of the operating system into a sentence; returns other errors unchanged.
 * @param path the file in use, if the error names none
 * @param use the operation, if the system call does not show it
 */
export function explainSystemError(error: unknown, path: string, use: 'read' | 'written' = 'written'): unknown {
  if (error instanceof Failure) return new BackupError(error.message)
  if (!(error instanceof Error) || error instanceof BackupError) return error
  const { code, path: named, syscall, message } = error as SystemError
  if (isDiskFull(error) || /No space left on device/.test(message)) {
    return new BackupError(`The disk of ${named ?? path} is full. Nothing was left behind; free some space and try again.`)
  }
  if (!code || !syscall) return error
  // Removes the code and the path from `ENOENT: no such file or directory, open '/x'`.
  const reason = message.replace(/^[A-Z]+: /, '').replace(/, \w+( '.*)?$/s, '')
  return new BackupError(`${named ?? path} cannot be ${readingCalls.has(syscall) ? 'read' : use}: ${reason}.`)
}

/** Whether an error comes from the operating system, and not from the bytes that were read. */
export const isSystemError = (error: unknown): boolean => error instanceof Error && (error as SystemError).syscall !== undefined
