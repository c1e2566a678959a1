import { Failure } from '../errors'

/** A backup cannot be made, read or put back; the message says why and what to do. */
export class BackupError extends Error {}

type SystemError = Error & { code?: string; path?: string; syscall?: string }

const readingCalls = new Set(['read', 'stat', 'lstat', 'fstat', 'scandir', 'statfs'])

/** What the operating system refused, as a sentence; all else as it is. */
export function explained(error: unknown, folder: string): unknown {
  // The storage's.
  if (error instanceof Failure) return new BackupError(error.message)
  if (!(error instanceof Error)) return error
  const { code, path, syscall, message } = error as SystemError
  if (code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device/.test(message)) {
    return new BackupError(`The disk of ${folder} is full; free some space and try again.`)
  }
  if (code === 'EPIPE') return new BackupError('Whoever read from standard output has gone, so the backup is not whole.')
  if (!code || !syscall) return error
  // `ENOENT: no such file or directory, open '/x'` without what is said already.
  const reason = message.replace(/^[A-Z]+: /, '').replace(/, \w+( '.*)?$/s, '')
  return new BackupError(`${path ?? folder} cannot be ${readingCalls.has(syscall) ? 'read' : 'written'}: ${reason}.`)
}

/** Whether the operating system said it, and not the bytes that were read. */
export const isSystemError = (error: unknown): boolean => error instanceof Error && (error as SystemError).syscall !== undefined
