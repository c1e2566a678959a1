import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DataDirError } from './place'

/**
 * One unbroken archive of PostgreSQL's log. With a gap, in another place or with another key a new one begins: so every
 * segment of an archive follows the one before.
 */
export type WalArchive = {
  id: string
  /** The folder or the address of the bucket that archives are kept in, each below its id. */
  place: string
  /** Secret key of age whose recipient the archive is encrypted to; null where it is not. */
  identity: string | null
  /** ISO 8601, UTC. A backup that began later can be followed by it. */
  createdAt: string
  /** Whether anything is in it: then its folder has to be there, or a disk is missing. */
  isBegun: boolean
  /** Ids of archives that this installation had there before, for their removal. */
  earlier: string[]
  /** The last segment that came in: where the archive goes on, whatever becomes of the place. */
  last: string | null
  /** Attachments that came before are in it, or in a backup. ISO 8601, UTC. */
  filesSince: string
  /** Whether the settings ask for none at present: then the next one is new. */
  isOff: boolean
  /** Of the outbox: a copy of the data directory has another one, and is an installation of its own. */
  inode: number
}

/** What the settings ask for. `identity` is for a new archive; null where it is not to be encrypted. */
export type WantedArchive = Pick<WalArchive, 'place' | 'identity'>

/** The folder of it in the data directory. */
const walFolder = 'wal'

/** How long PostgreSQL waits with a segment that is not full: half of what may be lost with the machine. */
const archiveTimeoutSeconds = 30

/** Where PostgreSQL puts its segments, until they are in the archive. */
export const outboxIn = (dataDir: string): string => join(dataDir, walFolder, 'outbox')

const fileIn = (dataDir: string) => join(dataDir, walFolder, 'archive.json')

/** null where the log is not archived. @throws DataDirError for a file that is none of ours */
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

/** Whole or not at all. */
export function writeArchive(dataDir: string, archive: WalArchive): void {
  const path = fileIn(dataDir)
  const descriptor = openSync(`${path}.new`, 'w', 0o600)
  try {
    writeSync(descriptor, `${JSON.stringify(archive, null, 2)}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${path}.new`, path)
}

/** Another archive, behind one that does not go on. */
export const newArchive = ({ place, identity }: WantedArchive, before: WalArchive | null, inode: number): WalArchive => ({
  ...{ id: Bun.randomUUIDv7(), place, identity, createdAt: new Date().toISOString() },
  ...{ isBegun: false, last: null, filesSince: new Date().toISOString(), isOff: false },
  ...{ earlier: before && isSamePlace(before.place, place) ? [...before.earlier, before.id] : [], inode },
})

const isSamePlace = (one: string, other: string): boolean => one.replace(/\/+$/, '') === other.replace(/\/+$/, '')

/**
 * Makes the archive of a data directory what the settings ask for. Without one nothing that PostgreSQL has put aside is
 * kept, and the next one is new.
 * @returns a sentence for the operator where something was given up
 */
export function settleArchive(dataDir: string, wanted: WantedArchive | null): string | null {
  const read = readFile(dataDir)
  const found = read === 'damaged' ? null : read
  if (!wanted) {
    if (!found || found.isOff) return null
    const waiting = endArchive(dataDir)
    return `The log is no longer archived (ROWHOUSE_WAL_ARCHIVE is not set); ${waiting} segments that waited for ${found.place} were given up.`
  }
  mkdirSync(outboxIn(dataDir), { recursive: true, mode: 0o700 })
  const inode = statSync(outboxIn(dataDir)).ino
  const goesOn =
    found &&
    !found.isOff &&
    found.inode === inode &&
    isSamePlace(found.place, wanted.place) &&
    (found.identity === null) === (wanted.identity === null)
  if (!goesOn) writeArchive(dataDir, newArchive(wanted, found, inode))
  return read === 'damaged' ? `${fileIn(dataDir)} was damaged: a new archive of the log begins, and needs a new backup.` : null
}

/**
 * Another database comes into the data directory, whose log begins anew: the archive of the old one ends, and the next
 * start with the setting begins another one.
 * @returns how many segments waited, and were given up
 */
export function endArchive(dataDir: string): number {
  const found = readFile(dataDir)
  if (!found || found === 'damaged' || found.isOff) return 0
  const waiting = existsSync(outboxIn(dataDir)) ? readdirSync(outboxIn(dataDir)).length : 0
  // First: from now on nothing new is put aside by a start without the setting.
  writeArchive(dataDir, { ...found, isOff: true })
  rmSync(outboxIn(dataDir), { recursive: true, force: true })
  return waiting
}

/**
 * PostgreSQL's settings (its manual, 19.5.3) that keep up the archive of the data directory, also while a command
 * runs beside the stopped service. On the command line they win over `custom.conf` and `alter system`. `basic_archive`
 * copies a segment with its name last, and needs no shell.
 */
export function archivingSettings(dataDir: string): string[] {
  const found = readFile(dataDir)
  if (!found || (found !== 'damaged' && found.isOff)) return []
  return [
    ...['archive_mode=on', 'archive_command=', 'archive_library=basic_archive'],
    ...[`basic_archive.archive_directory=${outboxIn(dataDir)}`, `archive_timeout=${archiveTimeoutSeconds}s`],
  ]
}
