import { noPointInTime } from '../../backup/errors'
import type { RequestedTarget } from '../../backup/restore/before-request'
import { UsageError } from '../arguments'
import { type CommandContext, CommandError } from '../command'

const timeForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/

/** JavaScript turns February 30 into March 2. */
const isOfCalendar = (text: string) => {
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text.slice(0, 10)
}

/** How far to replay the WAL; null for the backup alone. @throws CommandError, UsageError */
export function readRequestedTarget({ values, config, switches }: CommandContext): RequestedTarget | null {
  const [text, requestId] = [values.get('to'), values.get('before-request')]
  if (text === undefined && requestId === undefined) return null
  if (text !== undefined && requestId !== undefined) throw new UsageError('Give either --to or --before-request.')
  const flag = text === undefined ? '--before-request' : '--to'
  if (config.databaseUrl) throw new CommandError(noPointInTime)
  if (switches.has('dry-run')) throw new UsageError(`--dry-run shows the times that can be restored; use it without ${flag}.`)
  if (config.walArchive === undefined) throw new CommandError(`${flag} needs the archive of the log: name it in --wal-archive.`)
  return requestId === undefined ? readTime(text!) : { requestId }
}

function readTime(text: string): Date | 'latest' {
  if (text === 'latest') return 'latest'
  const at = timeForm.test(text) && isOfCalendar(text) ? new Date(text.replace(' ', 'T')) : null
  if (at === null || Number.isNaN(at.getTime()))
    throw new UsageError('--to is a time such as "2026-11-22 10:15" (of this machine) or 2026-11-22T10:15:00Z, or latest.')
  if (at.getTime() > Date.now()) throw new CommandError(`${at.toISOString()} is in the future.`)
  return at
}
