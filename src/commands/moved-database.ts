import { databaseFile, readDatabaseFile } from '../db/embedded/database-file'
import { findPlace } from '../db/embedded/place'
import type { Config } from '../ops/settings/config'
import { readUri } from '../ops/settings/connection-uri'
import { CommandError } from './command'

/**
 * The settings, with the database that the embedded one was moved to, unless DATABASE_URL is set. The WAL archive is
 * only for the embedded database.
 */
export function withMovedDatabase(config: Config): Config {
  if (config.databaseUrl) return config
  const dataDir = findPlace(config)
  const uri = readDatabaseFile(dataDir)
  if (uri === null) return config
  try {
    return {
      ...config,
      databaseUrl: readUri(uri),
      isDatabaseMoved: true,
      walArchive: undefined,
      isWalArchiveUnused: config.walArchive !== undefined,
    }
  } catch (error) {
    throw new CommandError(`${databaseFile(dataDir)} ${(error as Error).message}.`)
  }
}
