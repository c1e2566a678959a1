import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirError, type DataDirPlace } from './place'

/** Where `rowhouse restore` works, in the data directory; the cluster is the last that leaves it. */
export const restoringFolder = 'restoring'

/**
 * A restore that was interrupted leaves nothing that starts, not even an empty database in the place of the wanted one.
 * @throws DataDirError
 */
export function requireRestored({ dataDir, clusterDir }: Pick<DataDirPlace, 'dataDir' | 'clusterDir'>): void {
  const folder = join(dataDir, restoringFolder)
  if (!existsSync(folder)) return
  if (existsSync(clusterDir) && !existsSync(join(folder, 'postgres'))) {
    rmSync(folder, { recursive: true, force: true })
    return
  }
  throw new DataDirError(`A restore into ${dataDir} did not come to its end. Run rowhouse restore again, or empty the folder.`)
}
