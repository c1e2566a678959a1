import { mkdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isUrl } from '../../backup/bucket'
import { BackupError } from '../../backup/errors'
import { listBackups } from '../../backup/inventory/list'
import { verifyBackup } from '../../backup/proof/verify'
import { openStore } from '../../backup/store'
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
  const single = isFile(place)
  const store = openStore(single ? dirname(place) : place, config)
  const found = (await listBackups({ store, walArchive: undefined, passphrase, config, signal })).filter(
    ({ name, isProven }) => isProven && (!single || name === basename(place)),
  )
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
      if (signal.aborted || !(error instanceof BackupError)) throw error
      progress.tell(`${name} could not be verified. ${error.message}`)
      counts.untried++
    }
  }
  return counts
}

function isFile(place: string): boolean {
  if (isUrl(place)) return place.includes('.tar.zst')
  return statSync(place, { throwIfNoEntry: false })?.isFile() ?? false
}
