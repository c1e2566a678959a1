import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

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

/** null where the log is not archived. */
export function readArchive(dataDir: string): WalArchive | null {
  const path = fileIn(dataDir)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as WalArchive) : null
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
export const newArchive = ({ place, identity }: WantedArchive, before: WalArchive | null): WalArchive => ({
  id: Bun.randomUUIDv7(),
  place,
  identity,
  createdAt: new Date().toISOString(),
  isBegun: false,
  earlier: before?.place === place ? [...before.earlier, before.id] : [],
})

/**
 * Makes the archive of a data directory what the settings ask for. Without one nothing that PostgreSQL has put aside is
 * kept, and the next one is new.
 */
export function settleArchive(dataDir: string, wanted: WantedArchive | null): void {
  if (!wanted) {
    rmSync(join(dataDir, walFolder), { recursive: true, force: true })
    return
  }
  mkdirSync(outboxIn(dataDir), { recursive: true, mode: 0o700 })
  const found = readArchive(dataDir)
  const goesOn = found?.place === wanted.place && (found.identity === null) === (wanted.identity === null)
  if (!goesOn) writeArchive(dataDir, newArchive(wanted, found))
}

/**
 * PostgreSQL's settings (its manual, 19.5.3) for the archive of the data directory, which commands beside the service
 * keep up, too. `basic_archive` copies a segment with its name last, and needs no shell.
 */
export function archivingSettings(dataDir: string): string[] {
  if (!readArchive(dataDir)) return []
  return [
    'archive_mode = on',
    "archive_command = ''",
    "archive_library = 'basic_archive'",
    `basic_archive.archive_directory = '${outboxIn(dataDir).replaceAll("'", "''")}'`,
    `archive_timeout = ${archiveTimeoutSeconds}s`,
  ]
}
