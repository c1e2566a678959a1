import type { Config } from '../../ops/settings/config'
import { requireRestorable } from '../archive/manifest'
import { readManifestOf } from '../archive/reader'
import { requireFree, runtimeBytes, watchDisk } from '../disk-space'
import { DamagedBackup } from '../errors'
import { type BackupStore, readStored, type Stored } from '../store'
import { proveBackup } from './prove'

type VerifyTask = {
  store: BackupStore
  name: string
  /** The size of the file. */
  bytes: number
  passphrase: string | undefined
  /** Its `dataDir` contains the programs of PostgreSQL and the scratch folder. */
  config: Config
  signal: AbortSignal
  onBytes: (count: number) => void
  /** Receives the reason if the result could not be written beside the backup. The result is still returned. */
  onUnsaved: (reason: string) => void
}

/**
 * The file beside a backup that holds the result of its last verification. Its modification time is the time of the
 * verification.
 */
export const verificationOf = (name: string): string => `${name}.verified`

/** `problem` is null if the backup can be restored. */
export type Verification = { at: string; problem: string | null }

/**
 * Verifies an old backup again: every byte, page, index and row, and the attachments. The original's row counts are no
 * longer available. Writes the result beside the backup.
 * @throws BackupError if it cannot be verified here, the signal's reason
 */
export async function verifyBackup(task: VerifyTask): Promise<Verification> {
  const problem = await findDamage(task)
  const verification: Verification = { at: new Date().toISOString(), problem }
  try {
    await task.store.write(verificationOf(task.name), oneLine(JSON.stringify(verification)), task.signal)
  } catch (error) {
    if (task.signal.aborted) throw error
    task.onUnsaved(`${task.store.place}${verificationOf(task.name)} could not be written: ${(error as Error).message}`)
  }
  return verification
}

const maxResultBytes = 64 * 1024

/**
 * The damage that the last verification of a backup found; null for none, and if the result file was altered.
 * @param result the result file beside the backup
 * @throws UnreadableStore
 */
export async function readDamage(store: BackupStore, name: string, result: Stored): Promise<string | null> {
  if (result.bytes > maxResultBytes) return null
  const chunks = await Array.fromAsync(readStored(store, verificationOf(name)))
  try {
    const { problem } = JSON.parse(Buffer.concat(chunks).toString()) as Partial<Verification>
    // Other programs may write there, and terminals interpret control characters.
    return typeof problem === 'string' ? problem.replace(/\p{Cc}/gu, ' ') : null
  } catch {
    return null
  }
}

async function findDamage({ store, name, bytes, passphrase, config, signal: given, onBytes }: VerifyTask): Promise<string | null> {
  const { dataDir, minFreeBytes } = config
  const open = () => readStored(store, name)
  try {
    const manifest = await readManifestOf(open(), passphrase, given)
    requireRestorable(manifest)
    requireFree(dataDir, bytes + runtimeBytes + minFreeBytes, 'To verify a backup')
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
 * Chooses the backup that the service verifies next: each week, among backups older than a week, the one whose last
 * verification is the longest ago.
 * @param files by name, with the time when each was written
 * @param dated proven backups, by name
 * @param failed backups that could not be verified; they are chosen again only if there are no others
 */
export function chooseForVerification(
  files: ReadonlyMap<string, { changedAt: Date }>,
  dated: readonly { name: string; at: Date }[],
  now: Date,
  failed: ReadonlySet<string> = new Set(),
): string | null {
  const verifiedAt = (name: string) => files.get(verificationOf(name))?.changedAt.getTime() ?? 0
  const isOld = (ms: number) => now.getTime() - ms >= oldMs
  if (!dated.every(({ name }) => isOld(verifiedAt(name)))) return null
  const old = dated.filter(({ at }) => isOld(at.getTime()))
  const untried = old.filter(({ name }) => !failed.has(name))
  return (
    (untried.length > 0 ? untried : old).toSorted(
      (one, other) => verifiedAt(one.name) - verifiedAt(other.name) || Number(one.at) - Number(other.at),
    )[0]?.name ?? null
  )
}
