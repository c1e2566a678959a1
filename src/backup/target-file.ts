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

/** A file that has its name only when it is whole, on disk and tried out. */
export type TargetFile = {
  /** Where it is until then. */
  unfinished: string
  sink: Sink
  /** @returns its name */
  keep: () => Promise<string>
  /** Under a name that says that it was not good enough. @returns that name */
  keepUnproven: () => Promise<string>
  remove: () => Promise<void>
}

/** Where there is a folder, or one is meant: a name in it, with the time of this moment in UTC. */
export function resolveTarget(path: string, isEncrypted: boolean, now: Date): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const name = `rowhouse-${time}.tar.zst${isEncrypted ? '.age' : ''}`
  if (isUrl(path)) return /^s3:\/\/[^/]+$/.test(path) ? `${path}/${name}` : path.endsWith('/') ? path + name : path
  const isFolder = path.endsWith('/') || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
  if (!isFolder) return resolve(path)
  return join(resolve(path), name)
}

/** What the service keeps in its data directory; a backup in there would be a part of itself, or be swept. */
const ownFolders = ['postgres', 'files', 'conf', 'run', 'runtime', 'wal']

/** @throws BackupError for a folder of the service's own */
export function requireOutside(folder: string, dataDir: string): void {
  const path = `${realpathSync(folder)}/`
  const own = ownFolders.map((name) => join(dataDir, name)).find((name) => existsSync(name) && path.startsWith(`${realpathSync(name)}/`))
  if (own) throw new BackupError(`${own} belongs to the database that is backed up. Choose a folder outside of it.`)
}

/** Those names, as a killed backup leaves them: no later one has the same and would write over it. */
const unfinishedName = /^rowhouse-\d{8}T\d{6}Z\.tar\.zst(\.age)?\.part$/

/** As `removeUnlocked`, for what killed backups have left beside `file`, under its name or under one by time. */
export const removeUnfinished = (file: string): void =>
  removeUnlocked(dirname(file), (name) => isUnfinishedBackup(name) || name === `${basename(file)}.part`)

export const isUnfinishedBackup = (name: string): boolean => unfinishedName.test(name)

/**
 * Removes the unfinished files that killed processes have left in a folder. A file that another process has locked is
 * being written, and stays, and so do those of other users.
 * @param minAgeMs since the last write: on a shared disk the locks of other machines may be invisible
 */
export function removeUnlocked(folder: string, isUnfinished: (name: string) => boolean, minAgeMs = 0): void {
  for (const name of readdirSync(folder)) {
    if (!isUnfinished(name)) continue
    const path = join(folder, name)
    const descriptor = openOwn(path)
    if (descriptor === null) continue
    try {
      // Times of files are more precise than the clock: one that was just written would be younger than nothing.
      const ageMs = Date.now() - Math.floor(fstatSync(descriptor).mtimeMs)
      if (ageMs >= minAgeMs && tryLock(descriptor)) rmSync(path, { force: true })
    } finally {
      closeSync(descriptor)
    }
  }
}

/**
 * Open for writing, since NFS locks no other file exclusively.
 * @returns null for a file of somebody else, and for one that is gone
 */
function openOwn(path: string): number | null {
  try {
    if (lstatSync(path).uid !== process.getuid?.()) return null
    return openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
}

/** @throws BackupError where there is a file of that name already; whatever the operating system says to a new one */
export async function createTargetFile(file: string): Promise<TargetFile> {
  const unfinished = `${file}.part`
  requireNew(file)
  // Not truncated before it is locked: another backup may be writing it.
  const handle = await open(unfinished, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  // The one that had it locked until now has given it its name, perhaps: then this is a finished backup.
  if (!tryLock(handle.fd) || !isStill(unfinished, handle.fd)) {
    await handle.close()
    throw new BackupError(`Another backup is being written to ${unfinished}.`)
  }
  const remove = async () => {
    rmSync(unfinished, { force: true })
    await handle.close().catch(() => {})
  }
  try {
    // Since the first look the other one may have ended, and this is a new file.
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
    // Locked until it has its name: nobody takes it for one that a killed backup has left.
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
