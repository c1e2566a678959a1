import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../../ops/write-file'
import { DataDirError } from './place'

/**
 * One unbroken archive of PostgreSQL's WAL. After a gap, at another location or with another key a new archive begins,
 * so every segment of an archive follows the one before.
 */
export type WalArchive = {
  id: string
  /** The folder or the bucket URL that holds the archives, each under its id. */
  place: string
  /** Secret age key whose recipient the archive is encrypted to; null if it is not encrypted. */
  identity: string | null
  /** ISO 8601, UTC. The archive continues every backup that began later. */
  createdAt: string
  /** Whether it holds anything: then its folder must exist, or a disk is missing. */
  isBegun: boolean
  /** Ids of this installation's earlier archives at this location, for their removal. */
  earlier: string[]
  /** The last segment that was archived: the archive continues there, whatever happens to the location. */
  last: string | null
  /** Attachments uploaded earlier are in the archive or in a backup. ISO 8601, UTC. */
  filesSince: string
  /** Whether archiving is currently switched off: then the next archive is a new one. */
  isOff: boolean
  /** Inode of the outbox: a copy of the data directory has a different one and is a separate installation. */
  inode: number
}

/** The archive of the settings. `identity` is for a new archive; null if it is not to be encrypted. */
export type WantedArchive = Pick<WalArchive, 'place' | 'identity'>

/** Its folder in the data directory. */
const walFolder = 'wal'

/** How long PostgreSQL waits with a segment that is not full: half of the time that may be lost with the machine. */
const archiveTimeoutSeconds = 30

/** Where PostgreSQL puts its segments until they are archived. */
export const outboxIn = (dataDir: string): string => join(dataDir, walFolder, 'outbox')

const fileIn = (dataDir: string) => join(dataDir, walFolder, 'archive.json')

/** Null if the WAL is not archived. @throws DataDirError for a file that Rowhouse did not write */
export function readArchive(dataDir: string): WalArchive | null {
  const found = readFile(dataDir)
  if (found === 'damaged')
    throw new DataDirError(`${fileIn(dataDir)} is damaged. Start the service again: a new archive of the log begins.`)
  return found?.isOff ? null : found
}

function readFile(dataDir: string): WalArchive | 'damaged' | null {
  const path = fileIn(dataDir)
  if (!existsSync(path)) return null
  try {
    const found = JSON.parse(readFileSync(path, 'utf8')) as WalArchive | null
    return typeof found?.id === 'string' ? found : 'damaged'
  } catch {
    return 'damaged'
  }
}

export const writeArchive = (dataDir: string, archive: WalArchive): void =>
  writeWhole(fileIn(dataDir), `${JSON.stringify(archive, null, 2)}\n`)

/** A new archive, which replaces one that does not continue. */
export const newArchive = ({ place, identity }: WantedArchive, before: WalArchive | null, inode: number): WalArchive => ({
  ...{ id: Bun.randomUUIDv7(), place, identity, createdAt: new Date().toISOString() },
  ...{ isBegun: false, last: null, filesSince: new Date().toISOString(), isOff: false },
  ...{ earlier: before && isSamePlace(before.place, place) ? [...before.earlier, before.id] : [], inode },
})

const isSamePlace = (one: string, other: string): boolean => one.replace(/\/+$/, '') === other.replace(/\/+$/, '')

/**
 * Makes the archive of a data directory match the settings. Without one, segments that wait in the outbox are deleted,
 * and the next archive is a new one.
 * @returns a message for the operator if anything was given up
 */
export function settleArchive(dataDir: string, wanted: WantedArchive | null): string | null {
  const read = readFile(dataDir)
  const found = read === 'damaged' ? null : read
  if (!wanted) {
    if (!found || found.isOff) return null
    const waiting = endArchive(dataDir)
    return `The log is no longer archived (ROWHOUSE_WAL_ARCHIVE is not set); ${waiting} segments that waited for ${found.place} were discarded.`
  }
  mkdirSync(outboxIn(dataDir), { recursive: true, mode: 0o700 })
  const inode = statSync(outboxIn(dataDir)).ino
  const goesOn =
    found &&
    !found.isOff &&
    found.inode === inode &&
    isSamePlace(found.place, wanted.place) &&
    (found.identity === null) === (wanted.identity === null)
  // The archive that a copy of a data directory has brought along belongs to the original.
  const own = found && (found.isOff || found.inode === inode) ? found : null
  if (!goesOn) writeArchive(dataDir, newArchive(wanted, own, inode))
  return read === 'damaged' ? `${fileIn(dataDir)} was damaged: a new archive of the log begins, and needs a new backup.` : null
}

/**
 * Call it before another database, with a WAL of its own, is put into the data directory: the archive of the old one
 * ends, and the next start with the setting begins a new archive.
 * @returns how many waiting segments were given up
 */
export function endArchive(dataDir: string): number {
  const found = readFile(dataDir)
  if (!found || found === 'damaged' || found.isOff) return 0
  const waiting = existsSync(outboxIn(dataDir)) ? readdirSync(outboxIn(dataDir)).length : 0
  // First: from now on a start without the setting archives nothing new.
  writeArchive(dataDir, { ...found, isOff: true })
  rmSync(outboxIn(dataDir), { recursive: true, force: true })
  return waiting
}

/**
 * PostgreSQL's settings (its manual, 19.5.3) that continue the archive of the data directory, also while a command runs
 * beside the stopped service. On the command line they override `custom.conf` and `alter system`. `basic_archive`
 * renames a copied segment last and needs no shell.
 */
export function archivingSettings(dataDir: string): string[] {
  const found = readFile(dataDir)
  if (!found || (found !== 'damaged' && found.isOff)) return []
  return [
    ...['archive_mode=on', 'archive_command=', 'archive_library=basic_archive'],
    ...[`basic_archive.archive_directory=${outboxIn(dataDir)}`, `archive_timeout=${archiveTimeoutSeconds}s`],
  ]
}
