import type { Config } from '../../ops/config'
import type { Events } from '../../ops/events'
import { plainConfig } from '../plain-config'
import { chooseTrial } from '../proof/verify'
import type { BackupStore } from '../store'
import { startTrialProcess, type TrialProcess } from './process'
import { datedBackups } from './retention'
import type { StoreWatch } from './store-watch'

/** How often it is asked whether one is due; first so long after the start. */
const trialCheckMs = 3_600_000
/** One that could not be tried out is no reason to try each hour. */
const waitAfterFailureMs = 24 * 3_600_000

/** Tries one old backup out again each week. */
export type Trials = {
  /** Begins one where its time has come. Does not wait for its end. */
  look: (passphrase: string | undefined) => Promise<void>
  stop: () => Promise<void>
}

type TrialsOptions = { config: Config; store: BackupStore; listStored: StoreWatch['names']; events: Events }

export function createTrials({ config, store, listStored, events }: TrialsOptions): Trials {
  let nextLookAt = performance.now() + trialCheckMs
  let current: { process: TrialProcess; isOver: Promise<void> } | null = null
  // A backup of an older PostgreSQL or of another passphrase fails each time, and others wait for their turn.
  const failedNames = new Set<string>()

  const tell = async (name: string, { ended }: TrialProcess) => {
    const place = store.place + name
    const outcome = await ended
    if ('failed' in outcome) {
      failedNames.add(name)
      nextLookAt = performance.now() + waitAfterFailureMs
      events.emit({ kind: 'background_failed', task: `trying out ${place} again`, error: new Error(outcome.failed) })
    } else if (outcome.trial.problem === null) events.emit({ kind: 'note', message: `Tried out again: ${place} can be restored.` })
    else events.emit({ kind: 'alert', alert: 'backup_damaged', message: `The backup ${place} is damaged. ${outcome.trial.problem}` })
  }

  return {
    look: async (passphrase) => {
      if (current || performance.now() < nextLookAt) return
      nextLookAt = performance.now() + trialCheckMs
      const stored = await listStored()
      if (stored === null) return
      const name = chooseTrial(stored, datedBackups([...stored.keys()], { isProven: true }), new Date(), failedNames)
      if (name === null) return
      const process = startTrialProcess({
        trial: { place: store.place, name, bytes: stored.get(name)!.bytes },
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
