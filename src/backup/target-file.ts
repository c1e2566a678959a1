import { closeSync, constants, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { tryLock } from '../db/embedded/libc'
import { writeAll } from '../ops/write-all'
import type { Sink } from './archive/writer'
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
  const isFolder = path.endsWith('/') || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
  if (!isFolder) return resolve(path)
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  return join(resolve(path), `rowhouse-${time}.tar.zst${isEncrypted ? '.age' : ''}`)
}

/**
 * What a killed backup has left under this name is written over.
 * @throws BackupError where there is a file of that name already; whatever the operating system says to a new one
 */
export async function createTargetFile(file: string): Promise<TargetFile> {
  const unfinished = `${file}.part`
  requireNew(file)
  // Not truncated before it is locked: another backup may be writing it.
  const handle = await open(unfinished, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  if (!tryLock(handle.fd)) {
    await handle.close()
    throw new BackupError(`Another backup is being written to ${unfinished}.`)
  }
  await handle.truncate(0)
  await handle.chmod(0o600)
  const moveTo = async (name: string) => {
    requireNew(name)
    await finish(handle)
    renameSync(unfinished, name)
    syncFolder(dirname(name))
    return name
  }
  return {
    unfinished,
    sink: (chunk) => writeAll(handle, chunk),
    keep: () => moveTo(file),
    keepUnproven: () => moveTo(`${file}.unproven`),
    remove: async () => {
      rmSync(unfinished, { force: true })
      await handle.close().catch(() => {})
    },
  }
}

async function finish(handle: FileHandle) {
  await handle.sync()
  await handle.close()
}

function requireNew(file: string) {
  if (existsSync(file))
    throw new BackupError(`${file} is there already; a backup is never written over another file. Give it another name.`)
}

function syncFolder(path: string) {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
