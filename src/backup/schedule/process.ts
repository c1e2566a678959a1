import { childEnvironment, ownCommand } from '../../db/embedded/become'
import type { BackupRequest } from '../log'
import type { MadeBackup } from '../make'
import type { PlainConfig } from '../plain-config'

/** Name of the internal sub-command; not in --help. */
export const backupProcess = '__backup'

/** What is sent to the process, once. */
export type BackupOrder = { target: string; passphrase: string | undefined; wasRoot: boolean; config: PlainConfig; request: BackupRequest }

/** `totalBytes` is about, and null where nobody knows. */
export type BackupStep = { step: 'Copying' | 'Trying it out' | 'Sending'; doneBytes: number; totalBytes: number | null }

/** What it answers. `failed` has its reason; `isUnderWay`: another instance makes one. */
export type BackupWord = { progress: BackupStep } | { made: MadeBackup } | { failed: string; isUnderWay?: boolean }

export type BackupOutcome = Exclude<BackupWord, { progress: BackupStep }>

export type BackupProcess = {
  /** How far it is; null before the first byte. */
  progress: () => BackupStep | null
  /** `isRecorded`: whether the process itself has put its end into the list. */
  ended: Promise<{ outcome: BackupOutcome; isRecorded: boolean }>
  /** Interrupts it; it tidies up. */
  stop: () => void
}

/** For an interrupted one to end PostgreSQL and to remove what it has written. */
const maxTidyMs = 6000

/**
 * Makes a backup in a process of its own: compressing takes a processor, and the service answers meanwhile. The process
 * ends when the service does.
 */
export function startBackupProcess(order: BackupOrder): BackupProcess {
  let step: BackupStep | null = null
  let outcome: BackupOutcome | null = null
  const child = Bun.spawn([...ownCommand(), backupProcess], {
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: (word: BackupWord) => {
      if ('progress' in word) step = word.progress
      else outcome = word
    },
  })
  child.send(order)
  const ended = child.exited.then(() => {
    if (outcome) return { outcome, isRecorded: true }
    const { signalCode, exitCode } = child
    return { outcome: { failed: `The process that made it ended (${signalCode ?? `exit code ${exitCode}`}).` }, isRecorded: false }
  })
  const stop = () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), maxTidyMs)
    void child.exited.then(() => clearTimeout(timer))
  }
  return { progress: () => step, ended, stop }
}
