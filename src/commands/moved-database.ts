import { databaseFile, readDatabaseFile } from '../db/embedded/database-file'
import { findPlace } from '../db/embedded/place'
import type { Config } from '../ops/config'
import { readUri } from '../ops/connection-uri'
import { CommandError } from './command'

/**
 * The settings with the database that the one inside was moved to, where DATABASE_URL names none. The archive of the
 * log is for the database inside only.
 */
export function withMovedDatabase(config: Config): Config {
  if (config.databaseUrl) return config
  const place = findPlace(config)
  const uri = readDatabaseFile(place)
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
    throw new CommandError(`${databaseFile(place)} ${(error as Error).message}.`)
  }
}
