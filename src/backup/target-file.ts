import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { tryLock } from '../db/embedded/libc'
import { syncFolder, writeAll } from '../ops/write-file'
import type { Sink } from './archive/writer'
import { isUrl } from './bucket'
import { BackupError } from './errors'

/** A file that gets its name only once it is complete, on disk and tested. */
export type TargetFile = {
  /** Its temporary path until then. */
  unfinished: string
  sink: Sink
  /** Gives it its final name. @returns that name */
  keep: () => Promise<string>
  /** Gives it a name that marks it as unproven. @returns that name */
  keepUnproven: () => Promise<string>
  remove: () => Promise<void>
}

/** Adds a name with the current time in UTC to the path of a folder, or to a path with a trailing slash. */
export function resolveTarget(path: string, isEncrypted: boolean, now: Date): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const name = `rowhouse-${time}.tar.zst${isEncrypted ? '.age' : ''}`
  if (isUrl(path)) return /^s3:\/\/[^/]+$/.test(path) ? `${path}/${name}` : path.endsWith('/') ? path + name : path
  const isFolder = path.endsWith('/') || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
  if (!isFolder) return resolve(path)
  return join(resolve(path), name)
}

/** The service's folders in its data directory: a backup in one of them would contain itself, or be swept. */
const ownFolders = ['postgres', 'files', 'conf', 'run', 'runtime', 'wal']

/** @throws BackupError for a folder in one of the service's own */
export function requireOutside(folder: string, dataDir: string): void {
  const path = `${realpathSync(folder)}/`
  const own = ownFolders.map((name) => join(dataDir, name)).find((name) => existsSync(name) && path.startsWith(`${realpathSync(name)}/`))
  if (own) throw new BackupError(`${own} belongs to the database that is backed up. Choose a folder outside of it.`)
}

/** The names of files that killed backups leave. A later backup has a different name and would not overwrite them. */
const unfinishedName = /^rowhouse-\d{8}T\d{6}Z\.tar\.zst(\.age)?\.part$/

/**
 * Like `removeUnlocked`, for the remains of killed backups beside `file`, whose names are derived from it or from a
 * time.
 */
export const removeUnfinished = (file: string): void =>
  removeUnlocked(dirname(file), (name) => isUnfinishedBackup(name) || name === `${basename(file)}.part`)

export const isUnfinishedBackup = (name: string): boolean => unfinishedName.test(name)

/**
 * Removes the unfinished files that killed processes have left in a folder. Keeps files that another process has
 * locked, since it is still writing them, and files of other users.
 * @param minAgeMs since the last write: on a shared disk the locks of other machines may be invisible
 */
export function removeUnlocked(folder: string, isUnfinished: (name: string) => boolean, minAgeMs = 0): void {
  for (const name of readdirSync(folder)) {
    if (!isUnfinished(name)) continue
    const path = join(folder, name)
    const descriptor = openOwn(path)
    if (descriptor === null) continue
    try {
      // File times are more precise than Date.now(): without rounding, a file written just now would have a negative
      // age.
      const ageMs = Date.now() - Math.floor(fstatSync(descriptor).mtimeMs)
      if (ageMs >= minAgeMs && tryLock(descriptor)) rmSync(path, { force: true })
    } finally {
      closeSync(descriptor)
    }
  }
}

/**
 * Opened for writing, because NFS grants an exclusive lock only then.
 * @returns null for a file of another user, and for one that is gone
 */
function openOwn(path: string): number | null {
  try {
    if (lstatSync(path).uid !== process.getuid?.()) return null
    return openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
}

/** @throws BackupError if a file of that name exists; errors of the operating system */
export async function createTargetFile(file: string): Promise<TargetFile> {
  const unfinished = `${file}.part`
  requireNew(file)
  // Not truncated before it is locked, because another backup may be writing it.
  const handle = await open(unfinished, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  // The backup that had locked it may have ended meanwhile and renamed it, so that this is a finished backup.
  if (!tryLock(handle.fd) || !isStill(unfinished, handle.fd)) {
    await handle.close()
    throw new BackupError(`Another backup is being written to ${unfinished}.`)
  }
  const remove = async () => {
    rmSync(unfinished, { force: true })
    await handle.close().catch(() => {})
  }
  try {
    // Another backup may have ended after the first check, so that this is a new file.
    requireNew(file)
    await handle.truncate(0)
    await handle.chmod(0o600)
  } catch (error) {
    await remove()
    throw error
  }
  const moveTo = async (name: string) => {
    requireNew(name)
    await handle.sync()
    requireNew(name)
    renameSync(unfinished, name)
    // Locked until it has its name: otherwise it could be mistaken for the remains of a killed backup.
    await handle.close()
    syncFolder(dirname(name))
    return name
  }
  return {
    unfinished,
    sink: (chunk) => writeAll(handle, chunk),
    keep: () => moveTo(file),
    keepUnproven: () => moveTo(`${file}.unproven`),
    remove,
  }
}

function isStill(path: string, descriptor: number): boolean {
  const [named, opened] = [lstatSync(path, { throwIfNoEntry: false }), fstatSync(descriptor)]
  return named?.ino === opened.ino && named.dev === opened.dev
}

function requireNew(file: string) {
  if (existsSync(file)) throw new BackupError(`${file} already exists; a backup never overwrites another file. Choose another name.`)
}
