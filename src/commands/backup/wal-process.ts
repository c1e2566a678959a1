import { fromPlain } from '../../backup/plain-config'
import { type ArchiverMessage, createArchiver } from '../../backup/wal/archiver'
import type { ArchiverJob } from '../../backup/wal/process'
import { lowerPriority } from './priority'

/** How often it looks for new segments of PostgreSQL. */
const lookEveryMs = 1000
/** How often it looks for attachments while no segment is waiting. */
const filesEveryMs = 10_000
/** How long it pauses after a problem. */
const problemPauseMs = 3000
/** How often it reports its progress, also during a long write: silence means that the process hangs. */
const reportEveryMs = 5000

const tell = (message: ArchiverMessage) => void process.send?.(message)

/**
 * The process that archives the WAL for the service (`backup/wal/process.ts`). When asked to finish, it archives the
 * remaining segments and ends; it also ends when the service is gone. It ignores signals from a terminal, which are for
 * the service.
 * @returns the exit code
 */
export async function runArchiverProcess(): Promise<number> {
  lowerPriority()
  for (const kind of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(kind, () => {})
  const gone = new AbortController()
  const woken: { wake: () => void } = { wake: () => {} }
  let isFinishing = false
  let isAsked = false
  const begun = Promise.withResolvers<Extract<ArchiverJob, { begin: unknown }>['begin']>()
  let removeBefore: (oldest: Date) => void = () => {}
  process.on('message', (job: ArchiverJob) => {
    if ('begin' in job) begun.resolve(job.begin)
    if ('removeBefore' in job) removeBefore(new Date(job.removeBefore))
    if ('look' in job) isAsked = true
    if ('finish' in job) isFinishing = true
    woken.wake()
  })
  process.once('disconnect', () => {
    gone.abort(new Error('The service has ended.'))
    woken.wake()
  })
  const { config: plain, ...task } = await begun.promise
  let hasProblem = false
  const heard = (message: ArchiverMessage) => {
    if ('state' in message) hasProblem = message.state.problem !== null
    tell(message)
  }
  const archiver = createArchiver({ ...task, config: fromPlain(plain), signal: gone.signal, tell: heard })
  removeBefore = archiver.removeBefore
  const reporting = setInterval(archiver.report, reportEveryMs)
  let filesAt = Number.NEGATIVE_INFINITY
  for (let isLast = false; !isLast && !gone.signal.aborted; ) {
    isLast = isFinishing
    const isAnswer = isAsked
    isAsked = false
    const isThorough = isAnswer || isLast || performance.now() - filesAt > filesEveryMs
    if (isThorough) filesAt = performance.now()
    const isBehind = await archiver.step(isThorough)
    if (isAnswer) tell({ looked: true })
    if (isBehind) isLast = false
    if (isLast || isBehind || isFinishing || isAsked) continue
    const { promise, resolve } = Promise.withResolvers<void>()
    woken.wake = resolve
    const timer = setTimeout(resolve, hasProblem ? problemPauseMs : lookEveryMs)
    await promise
    clearTimeout(timer)
  }
  clearInterval(reporting)
  await archiver.close()
  return 0
}
