import { childEnvironment, ownCommand } from '../../db/embedded/become'
import type { BackupRequest } from '../log'
import type { MadeBackup } from '../make'
import type { PlainConfig } from '../plain-config'
import type { Verification } from '../proof/verify'

/** Name of the internal sub-command; not in --help. */
export const backupProcess = '__backup'

/** The only message to the process. */
export type BackupJob = { target: string; passphrase: string | undefined; wasRoot: boolean; config: PlainConfig; request: BackupRequest }

/** Tries an old backup out again instead of making one. */
export type VerificationJob = {
  verification: { place: string; name: string; bytes: number }
  passphrase: string | undefined
  config: PlainConfig
}

/** `totalBytes` is an estimate; null if unknown. */
export type BackupStep = { step: 'Copying' | 'Trying it out' | 'Sending'; doneBytes: number; totalBytes: number | null }

/** The replies. `failed`: the reason; `isUnderWay`: another instance makes a backup; `isInterrupted`: by a signal. */
export type BackupMessage =
  | { progress: BackupStep }
  | { made: MadeBackup }
  | { failed: string; isUnderWay?: boolean; isInterrupted?: boolean }

export type BackupOutcome = Exclude<BackupMessage, { progress: BackupStep }>

/** The reply to a `VerificationJob`. */
export type VerificationOutcome = { verification: Verification } | { failed: string }

export type VerificationProcess = { ended: Promise<VerificationOutcome>; stop: () => void }

export type BackupProcess = {
  /** The progress of the backup; null before the first byte. */
  progress: () => BackupStep | null
  /** The process records a finished backup in the list; the service records a failure. */
  ended: Promise<BackupOutcome>
  /** Interrupts the process, which then cleans up. */
  stop: () => void
}

/** How long an interrupted process may take to stop PostgreSQL and to remove its files. */
const maxTidyMs = 6000

/**
 * Makes a backup in a separate process, because compression would delay requests. The process ends when the service
 * does.
 */
export function startBackupProcess(job: BackupJob): BackupProcess {
  let step: BackupStep | null = null
  let outcome: BackupOutcome | null = null
  const { end, stop } = spawnProcess<BackupMessage>(job, (message) => {
    if ('progress' in message) step = message.progress
    else outcome = message
  })
  return { progress: () => step, ended: end.then((reason) => outcome ?? { failed: reason }), stop }
}

/** Like `startBackupProcess`. */
export function startVerificationProcess(job: VerificationJob): VerificationProcess {
  let outcome: VerificationOutcome | null = null
  const { end, stop } = spawnProcess<VerificationOutcome>(job, (message) => {
    outcome = message
  })
  return { ended: end.then((reason) => outcome ?? { failed: reason }), stop }
}

function openProcess<Message>(job: BackupJob | VerificationJob, hear: (message: Message) => void) {
  const child = Bun.spawn([...ownCommand(), backupProcess], {
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: hear,
  })
  child.send(job)
  return child
}

/** `end` describes how the process ended, or why it could not start. */
function spawnProcess<Message>(
  job: BackupJob | VerificationJob,
  hear: (message: Message) => void,
): { end: Promise<string>; stop: () => void } {
  let child: ReturnType<typeof openProcess>
  try {
    child = openProcess(job, hear)
  } catch (error) {
    return { end: Promise.resolve(`Its process could not be started (${(error as Error).message}).`), stop: () => {} }
  }
  const end = child.exited.then(() => `Its process ended (${child.signalCode ?? `exit code ${child.exitCode}`}).`)
  const stop = () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), maxTidyMs)
    void child.exited.then(() => clearTimeout(timer))
  }
  return { end, stop }
}
