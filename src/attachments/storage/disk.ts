import { closeSync, constants, fstatSync, openSync, type StatsFs } from 'node:fs'
import { lstat, mkdir, readdir, rm, rmdir, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Failure, unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import { createWhole, flushFolder } from '../../object-store/folder'
import type { RequestedFile } from '../../object-store/slice'
import { isDiskFull } from '../../ops/disk-full'
import type { Events } from '../../ops/log/events'
import { writeWhole } from '../../ops/write-file'
import { isUuid } from '../../tables/column-types/uuid'
import { isStoredName, type MarkedStorage, markerName, maxMarkerBytes, type StorageWrite, storageKeyOf } from './storage'

/** Accessible only to our user, since the contents require sign-in. */
const folderMode = 0o700
/** Not secret, and may be written by a command that runs as root. */
const markerMode = 0o644

/** Files in a folder of this machine, or in one that several instances share. */
export function diskStorage(folder: string, events: Events): MarkedStorage {
  const incoming = join(folder, 'incoming')
  const pathOf = (name: string) => join(folder, storageKeyOf(name))
  const ready = new Set<string>()

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw toStorageFailure(error, events)
    }
  }

  /** Creates a folder so that it survives a power failure. */
  const prepare = async (path: string) => {
    if (ready.has(path)) return
    await mkdir(path, { recursive: true, mode: folderMode })
    for (let parent = path; parent.length >= folder.length; parent = dirname(parent)) await flushFolder(dirname(parent))
    ready.add(path)
  }

  /** Recreates a folder that was removed from outside, for example while a backup was copied into its place. */
  const within = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    await prepare(path)
    try {
      return await work()
    } catch (error) {
      if (!isMissing(error)) throw error
      ready.clear()
      await prepare(path)
      return work()
    }
  }

  const create = (name: string): Promise<StorageWrite> =>
    guarded(async () => {
      const target = pathOf(name)
      // A unique name: two instances may make the same thumbnail at once, and a killed one may have left an incomplete
      // file.
      const temporary = join(incoming, `${name}.${crypto.randomUUID()}`)
      const file = await createWhole(temporary, target, within)
      return {
        write: (chunk) => guarded(() => file.write(chunk)),
        finish: () => guarded(file.finish),
        abandon: async () => {
          await file.abandon()
          await rm(target, { force: true }).catch(() => {})
        },
      }
    })

  /** The folder of that name may belong to someone else. */
  const removeUnfinished = async () => {
    for (const name of await namesIn(incoming)) if (isTemporary(name)) await rm(join(incoming, name), { force: true })
  }

  return {
    place: folder,
    create,
    read: (name, wanted = {}) => guarded(() => readFile(pathOf(name), wanted)),
    remove: (names) =>
      guarded(async () => {
        for (const name of names) await rm(pathOf(name), { force: true })
        const ended = new Set(names)
        for (const left of await namesIn(incoming)) {
          if (ended.has(left) || ended.has(left.slice(0, left.lastIndexOf('.')))) await rm(join(incoming, left), { force: true })
        }
      }),
    list: () => listFiles(folder, guarded),
    freeBytes: () =>
      guarded(async () => {
        const { bavail, bsize } = await statDisk(folder)
        return bavail * bsize
      }),
    readId: () => guarded(() => readMarker(join(folder, markerName))),
    writeId: (id) =>
      guarded(() =>
        within(incoming, async () => {
          const unfinished = join(incoming, `${markerName}.${crypto.randomUUID()}`)
          writeWhole(join(folder, markerName), `${id}\n`, { mode: markerMode, unfinished })
        }),
      ),
    removeUnfinished: () => guarded(removeUnfinished),
    dissolve: () =>
      guarded(async () => {
        for (const path of await foldersIn(folder)) {
          for (const inner of await foldersIn(path)) await removeEmpty(inner)
          await removeEmpty(path)
        }
        await removeUnfinished()
        await removeEmpty(incoming)
        await rm(join(folder, markerName), { force: true })
        await flushFolder(folder)
      }),
  }
}

/** Whether it is the temporary name of a file or of a storage id. */
function isTemporary(name: string): boolean {
  const written = name.slice(0, name.lastIndexOf('.'))
  return isUuid(name.slice(written.length + 1)) && (isStoredName(written) || written === markerName)
}

async function readMarker(path: string): Promise<string | null> {
  if (sizeOfFile(path) === null) return null
  return (await Bun.file(path).slice(0, maxMarkerBytes).text()).trim()
}

/** For a folder that may not exist yet. */
async function statDisk(path: string): Promise<StatsFs> {
  try {
    return await statfs(path)
  } catch (error) {
    if (!isMissing(error) || path === dirname(path)) throw error
    return statDisk(dirname(path))
  }
}

const removeEmpty = (path: string) =>
  rmdir(path).catch((error) =>
    ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error)) ? undefined : Promise.reject(error),
  )

/** Bun sends the bytes from the file; a file that is deleted meanwhile is still sent completely. */
async function readFile(path: string, { size, slice }: RequestedFile): Promise<Blob | null> {
  // Synchronous on purpose: Bun also opens the file synchronously.
  const found = sizeOfFile(path)
  if (found === null || found !== (size ?? found)) return null
  return slice ? Bun.file(path).slice(slice.start, slice.end) : Bun.file(path)
}

/** Null unless it is a readable regular file: a symlink may lead out of the storage (SEC-56), and a pipe never ends. */
function sizeOfFile(path: string): number | null {
  let handle: number
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errorCode(error))) return null
    throw error
  }
  try {
    const found = fstatSync(handle)
    return found.isFile() ? found.size : null
  } finally {
    closeSync(handle)
  }
}

async function* listFiles(folder: string, guarded: <T>(work: () => Promise<T>) => Promise<T>) {
  for (const path of await guarded(() => foldersIn(folder))) {
    for (const inner of await guarded(() => foldersIn(path))) {
      for (const name of await guarded(() => namesIn(inner))) {
        const size = await guarded(() => sizeOf(join(inner, name)))
        if (isStoredName(name) && size !== null) yield { name, size }
      }
    }
  }
}

const foldersIn = async (path: string) =>
  (await namesIn(path)).filter((name) => /^[0-9a-f]{2}$/.test(basename(name))).map((name) => join(path, name))

/** Sorted, so that two runs give the same result. */
const namesIn = async (path: string) => (await readdir(path).catch((error) => (isMissing(error) ? [] : Promise.reject(error)))).sort()

const sizeOf = (path: string) =>
  lstat(path).then(
    ({ size }) => size,
    (error) => (isMissing(error) ? null : Promise.reject(error)),
  )

const errorCode = (error: unknown) => (error as { code?: string } | null)?.code ?? ''

const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(errorCode(error))

/** A full disk is reported to the caller, and other disk faults to the operator. */
function toStorageFailure(error: unknown, events: Events): unknown {
  if (error instanceof Failure || errorCode(error) === '') return error
  events.emit({ kind: 'background_failed', task: 'keeping files', error })
  if (isDiskFull(error) || errorCode(error) === 'EFBIG')
    return new Failure('insufficient_storage', translatable('There is not enough storage space for this file.'))
  return unavailable(translatable('The file storage is unavailable.'), 5)
}
