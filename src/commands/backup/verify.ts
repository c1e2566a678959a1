import { mkdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isUrl, objectSize, openBucket } from '../../backup/bucket'
import { BackupError, explainSystemError } from '../../backup/errors'
import { listBackups } from '../../backup/inventory/list'
import { verifyBackup } from '../../backup/proof/verify'
import { type BackupStore, openStore } from '../../backup/store'
import { removeStaleScratch } from '../../db/embedded/scratch'
import type { Config } from '../../ops/settings/config'
import type { Progress } from './progress'

type VerifyTask = { place: string; passphrase: string | undefined; config: Config; progress: Progress; signal: AbortSignal }

/**
 * Tests one backup again, or all proven ones of a folder or bucket.
 * @returns how many are damaged, and how many could not be tested
 */
export async function verifyPlace({
  place,
  passphrase,
  config,
  progress,
  signal,
}: VerifyTask): Promise<{ damaged: number; untried: number }> {
  const { store, found } = await findVerifiable(place, { passphrase, config, signal }).catch((error) => {
    throw explainSystemError(error, place, 'read')
  })
  if (found.length === 0) throw new BackupError(`There is no backup to verify in ${place}`)
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  await removeStaleScratch(config.dataDir, config.dataDir)
  const counts = { damaged: 0, untried: 0 }
  for (const { name, bytes } of found) {
    progress.begin(`Verifying ${name}`, bytes)
    try {
      const verification = { store, name, bytes, passphrase, config, signal, onBytes: progress.add }
      const { problem } = await verifyBackup({ ...verification, onUnsaved: (reason) => progress.tell(reason) })
      if (problem === null) progress.say(`${name} can be restored.`)
      else progress.tell(`${name} is damaged. ${problem}`)
      if (problem !== null) counts.damaged++
    } catch (error) {
      const explained = explainSystemError(error, config.dataDir)
      if (signal.aborted || !(explained instanceof BackupError)) throw error
      progress.tell(`${name} could not be verified. ${explained.message}`)
      counts.untried++
    }
  }
  return counts
}

type Verifiable = { store: BackupStore; found: readonly { name: string; bytes: number }[] }

type FindOptions = Pick<VerifyTask, 'passphrase' | 'config' | 'signal'>

/** A single file may have any name. @throws BackupError, or an error of the operating system */
async function findVerifiable(from: string, { passphrase, config, signal }: FindOptions): Promise<Verifiable> {
  const bytes = await fileSize(from, config)
  if (bytes !== null) return { store: openStore(dirname(from), config), found: [{ name: basename(from), bytes }] }
  const store = openStore(from, config)
  const listed = await listBackups({ store, walArchive: undefined, passphrase, config, signal })
  return { store, found: listed.filter(({ isProven }) => isProven) }
}

/** Null for a folder, and if there is no such file. */
async function fileSize(from: string, config: Config): Promise<number | null> {
  if (isUrl(from)) {
    const object = openBucket(from, config)
    return object.key === '' || object.key.endsWith('/') ? null : objectSize(object)
  }
  const stats = statSync(from, { throwIfNoEntry: false })
  return stats?.isFile() ? stats.size : null
}
