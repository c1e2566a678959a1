import type { Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { plainConfig } from '../plain-config'
import { chooseForVerification } from '../proof/verify'
import type { BackupStore } from '../store'
import { startVerificationProcess, type VerificationProcess } from './process'
import { datedBackups } from './retention'
import type { StoreWatch } from './store-watch'

/** The interval of checks whether a verification is due; also the delay before the first check. */
const verificationCheckMs = 3_600_000
/** The wait after a backup that could not be verified. */
const waitAfterFailureMs = 24 * 3_600_000

/** Verifies one old backup each week. */
export type Verifications = {
  /** Begins a verification if one is due, and does not wait for its end. */
  look: (passphrase: string | undefined) => Promise<void>
  stop: () => Promise<void>
}

type VerificationsOptions = { config: Config; store: BackupStore; listStored: StoreWatch['names']; events: Events }

export function createVerifications({ config, store, listStored, events }: VerificationsOptions): Verifications {
  let nextLookAt = performance.now() + verificationCheckMs
  let current: { process: VerificationProcess; isOver: Promise<void> } | null = null
  // A backup of an older PostgreSQL or with another passphrase always fails, so other backups come first.
  const failedNames = new Set<string>()

  const tell = async (name: string, { ended }: VerificationProcess) => {
    const place = store.place + name
    const outcome = await ended
    if ('failed' in outcome) {
      failedNames.add(name)
      nextLookAt = performance.now() + waitAfterFailureMs
      events.emit({ kind: 'background_failed', task: `verifying ${place} again`, error: new Error(outcome.failed) })
    } else if (outcome.verification.problem === null) events.emit({ kind: 'note', message: `Verified again: ${place} can be restored.` })
    else events.emit({ kind: 'alert', alert: 'backup_damaged', message: `The backup ${place} is damaged. ${outcome.verification.problem}` })
  }

  return {
    look: async (passphrase) => {
      if (current || performance.now() < nextLookAt) return
      nextLookAt = performance.now() + verificationCheckMs
      const stored = await listStored()
      if (stored === null) return
      const name = chooseForVerification(stored, datedBackups([...stored.keys()], { isProven: true }), new Date(), failedNames)
      if (name === null) return
      const process = startVerificationProcess({
        verification: { place: store.place, name, bytes: stored.get(name)!.bytes },
        passphrase,
        config: plainConfig(config),
      })
      const isOver = tell(name, process).finally(() => {
        current = null
      })
      current = { process, isOver }
    },
    stop: async () => {
      current?.process.stop()
      await current?.isOver
    },
  }
}
