import { accessSync, constants } from 'node:fs'
import { nameOfSelf } from '../../ops/ownership/unix-user'
import { requireOutside } from '../target-file'

/** Why every backup to this folder would fail, which the service reports when it starts; null without a problem. */
export function problemOf(folder: string, dataDir: string): string | null {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    requireOutside(folder, dataDir)
    return null
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'ENOENT') return `There is no folder ${folder}, so no backup will be made: create it, or set ROWHOUSE_BACKUP_TO.`
    if (code === undefined) return `No backup will be made. ${message}`
    return `The user of the service, ${nameOfSelf()}, cannot write to ${folder}, so no backup will be made: install -d -o ${nameOfSelf()} -m 700 ${folder}`
  }
}
