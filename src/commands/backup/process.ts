import { BackupUnderWay } from '../../backup/errors'
import { makeBackup } from '../../backup/make'
import { fromPlain } from '../../backup/plain-config'
import { verifyBackup } from '../../backup/proof/verify'
import type { BackupJob, BackupMessage, BackupStep, VerificationJob, VerificationOutcome } from '../../backup/schedule/process'
import { openStore } from '../../backup/store'
import { createEvents } from '../../ops/log/events'
import { openExisting } from '../bootstrap'
import { CommandError } from '../command'
import { withInterruption } from './interruption'
import { lowerPriority } from './priority'

/** How often it reports its progress. */
const tellEveryMs = 250

/**
 * The process that makes a backup for the service (`backup/schedule/process.ts`). It stops on a signal, and when the
 * service is gone.
 * @returns the exit code
 */
export async function runBackupProcess(): Promise<number> {
  lowerPriority()
  const job = await new Promise<BackupJob | VerificationJob>((done) =>
    process.once('message', (given: BackupJob | VerificationJob) => done(given)),
  )
  const gone = new AbortController()
  process.once('disconnect', () => gone.abort(new CommandError('The service has ended.')))
  const message = await withInterruption<BackupMessage | VerificationOutcome>((given) => {
    const signal = AbortSignal.any([given, gone.signal])
    return ('verification' in job ? tryOut(job, signal) : runJob(job, signal)).catch((error) => ({
      failed: error instanceof Error ? error.message : String(error),
      isUnderWay: error instanceof BackupUnderWay,
      isInterrupted: signal.aborted,
    }))
  })
  tell(message)
  return 0
}

const tell = (message: BackupMessage | VerificationOutcome) => void process.send?.(message)

async function runJob({ config: plain, ...job }: BackupJob, signal: AbortSignal): Promise<BackupMessage> {
  const config = fromPlain(plain)
  const opened = await openExisting(config, createEvents())
  let current: BackupStep | null = null
  const timer = setInterval(() => {
    if (current) tell({ progress: current })
  }, tellEveryMs)
  const progress = {
    begin: (step: BackupStep['step'], totalBytes: number | null) => {
      current = { step, doneBytes: 0, totalBytes }
    },
    add: (bytes: number) => {
      if (current) current.doneBytes += bytes
    },
    say: () => {},
  }
  try {
    return { made: await makeBackup({ ...job, config, opened, recordsFailures: false, progress, signal }) }
  } finally {
    clearInterval(timer)
    await opened.stop()
  }
}

async function tryOut(
  { verification: { place, name, bytes }, passphrase, config: plain }: VerificationJob,
  signal: AbortSignal,
): Promise<VerificationOutcome> {
  const config = fromPlain(plain)
  const store = openStore(place, config)
  return { verification: await verifyBackup({ store, name, bytes, passphrase, config, signal, onBytes: () => {}, onUnsaved: () => {} }) }
}
