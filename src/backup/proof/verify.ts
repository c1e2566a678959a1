import type { Config } from '../../ops/config'
import { requireRestorable } from '../archive/manifest'
import { readManifestOf } from '../archive/reader'
import { requireFree, runtimeBytes, watchDisk } from '../disk-space'
import { DamagedBackup } from '../errors'
import { type BackupStore, readStored } from '../store'
import { proveBackup } from './prove'

type VerifyTask = {
  store: BackupStore
  name: string
  /** Of the file. */
  bytes: number
  passphrase: string | undefined
  /** Its `dataDir` has the programs of PostgreSQL, and the scratch folder. */
  config: Config
  signal: AbortSignal
  onBytes: (count: number) => void
  /** Is told why the result could not be written beside the backup; it is returned all the same. */
  onUnsaved: (reason: string) => void
}

/** A file beside a backup that says how its last trial ended. Its time is that of the trial. */
export const trialOf = (name: string): string => `${name}.verified`

/** `problem` is null where it can be restored. */
export type Trial = { at: string; problem: string | null }

/**
 * Tries an old backup again: every byte, page, index and row, and the attachments. The contents of its database at the
 * time are no longer known. The result is written beside the backup.
 * @throws BackupError where it cannot be tried out here, the signal's reason
 */
export async function verifyBackup(task: VerifyTask): Promise<Trial> {
  const problem = await findDamage(task)
  const trial: Trial = { at: new Date().toISOString(), problem }
  try {
    await task.store.write(trialOf(task.name), oneLine(JSON.stringify(trial)), task.signal)
  } catch (error) {
    if (task.signal.aborted) throw error
    task.onUnsaved(`${task.store.place}${trialOf(task.name)} could not be written: ${(error as Error).message}`)
  }
  return trial
}

async function findDamage({ store, name, bytes, passphrase, config, signal: given, onBytes }: VerifyTask): Promise<string | null> {
  const { dataDir, minFreeBytes } = config
  const open = () => readStored(store, name)
  try {
    const manifest = await readManifestOf(open(), passphrase, given)
    requireRestorable(manifest)
    requireFree(dataDir, bytes + runtimeBytes + minFreeBytes, 'To try a backup out')
    const disk = watchDisk({ dataDir, minFreeBytes })
    try {
      const rows = manifest.logical ? null : { boundary: '0', counts: new Map() }
      const signal = AbortSignal.any([given, disk.signal])
      await proveBackup({ open, passphrase, rows, scratchParent: dataDir, dataDir, config, signal, onBytes }).catch((error) => {
        throw signal.aborted ? signal.reason : error
      })
      return null
    } finally {
      disk.end()
    }
  } catch (error) {
    if (!(error instanceof DamagedBackup)) throw error
    return error.message
  }
}

async function* oneLine(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${text}\n`)
}

const oldMs = 7 * 24 * 3_600_000

/**
 * Which backup the service tries out again: each week one that is older than that, the one whose last trial is the
 * longest ago.
 * @param files by name, with the time when each came
 * @param dated proven ones, by name
 * @param failed those that could not be tried out; they come again when there is no other
 */
export function chooseTrial(
  files: ReadonlyMap<string, { changedAt: Date }>,
  dated: readonly { name: string; at: Date }[],
  now: Date,
  failed: ReadonlySet<string> = new Set(),
): string | null {
  const trialAt = (name: string) => files.get(trialOf(name))?.changedAt.getTime() ?? 0
  const isOld = (ms: number) => now.getTime() - ms >= oldMs
  if (!dated.every(({ name }) => isOld(trialAt(name)))) return null
  const old = dated.filter(({ at }) => isOld(at.getTime()))
  const untried = old.filter(({ name }) => !failed.has(name))
  return (
    (untried.length > 0 ? untried : old).toSorted(
      (one, other) => trialAt(one.name) - trialAt(other.name) || Number(one.at) - Number(other.at),
    )[0]?.name ?? null
  )
}
