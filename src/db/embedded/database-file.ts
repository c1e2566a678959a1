import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder, writeWhole } from '../../ops/write-file'
import { readOwned } from './owned-file'
import type { DataDirPlace } from './place'

type Place = Pick<DataDirPlace, 'dataDir' | 'owner'>

/** Holds the connection URI, with its password, of the database that the embedded one was moved to. */
export const databaseFile = ({ dataDir }: Pick<Place, 'dataDir'>): string => join(dataDir, 'database-url')

/** Null if the embedded database was not moved. */
export const readDatabaseFile = (place: Place): string | null => readOwned(databaseFile(place), place.owner)?.trim() || null

/** Once the file is renamed into place, a service uses that database. */
export const writeDatabaseFile = (place: Pick<Place, 'dataDir'>, uri: string): void => writeWhole(databaseFile(place), `${uri}\n`)

export function removeDatabaseFile(place: Pick<Place, 'dataDir'>): void {
  rmSync(databaseFile(place), { force: true })
  syncFolder(place.dataDir)
}

const everyMs = 250

/** Calls back once when the file is created, deleted or changed. @returns a function that stops watching */
export function watchDatabaseFile(place: Pick<Place, 'dataDir'>, onChange: () => void): () => void {
  const look = () => statSync(databaseFile(place), { throwIfNoEntry: false })?.mtimeMs
  const before = look()
  const timer = setInterval(() => {
    if (look() === before) return
    clearInterval(timer)
    onChange()
  }, everyMs)
  return () => clearInterval(timer)
}
