import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirError, type DataDirPlace } from './place'

/** The working folder of `rowhouse restore` in the data directory; the cluster leaves it last. */
export const restoringFolder = 'restoring'

/**
 * An interrupted restore leaves nothing that starts, not even an empty database in place of the expected one.
 * @throws DataDirError
 */
export function requireRestored({ dataDir, clusterDir }: Pick<DataDirPlace, 'dataDir' | 'clusterDir'>): void {
  const folder = join(dataDir, restoringFolder)
  if (!existsSync(folder)) return
  if (existsSync(clusterDir) && !existsSync(join(folder, 'postgres'))) {
    rmSync(folder, { recursive: true, force: true })
    return
  }
  throw new DataDirError(`A restore into ${dataDir} was not finished. Run rowhouse restore again, or empty the folder.`)
}
