import type { RequestedFile } from '../../object-store/slice'

/** The form of a name in storage: a file's id; for a thumbnail, that id followed by its size and format. */
const nameForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.(?:small|large)\.(?:webp|png|jpeg))?$/

const idLength = 36

/** A write in progress. Exactly one of `finish` and `abandon` ends it. */
export type StorageWrite = {
  /** Resolves when it can accept more. @throws Failure insufficient_storage, unavailable */
  write: (chunk: Uint8Array) => Promise<void>
  /** Resolves when the bytes would survive a power failure. @throws the same as `write` */
  finish: () => Promise<void>
  /** Removes the written bytes. Never throws: anything that could not be removed is left to the sweep. */
  abandon: () => Promise<void>
}

/**
 * The storage of the files' bytes: a folder (`disk.ts`) or a bucket (`s3.ts`). Rowhouse chooses the names, never a
 * caller (SEC-56).
 */
export type Storage = {
  /** For the operator: the folder's path, or the bucket's name. */
  place: string
  create: (name: string) => Promise<StorageWrite>
  /**
   * Usable as the body of a response; null if there are no such bytes, or if their number is wrong: a damaged file must
   * not look intact. A later failure aborts the response, so that it never appears complete.
   * @throws Failure unavailable
   */
  read: (name: string, wanted?: RequestedFile) => Promise<Blob | ReadableStream<Uint8Array> | null>
  /** Ignores missing names. @throws Failure unavailable */
  remove: (names: readonly string[]) => Promise<void>
  /**
   * Every name with the length of its bytes. Skips names in other forms.
   * @throws Failure unavailable
   */
  list: () => AsyncIterable<{ name: string; size: number }>
  /** The free space; null if unknown. */
  freeBytes: () => Promise<number | null>
}

/**
 * A storage with an id: next to the files, `storage-id` holds an id that the database holds as well (`identity.ts`). A
 * copy of the storage keeps it, so files may be moved.
 */
export type MarkedStorage = Storage & {
  /** Null if there is none. It may be any text, since other programs may write there. @throws Failure unavailable */
  readId: () => Promise<string | null>
  /** @throws Failure insufficient_storage, unavailable */
  writeId: (id: string) => Promise<void>
  /**
   * Removes incomplete writes of killed processes; only for a storage that nobody else writes to. @throws Failure
   * unavailable
   */
  removeUnfinished: () => Promise<void>
  /** Removes the id and empty folders, once all files have been removed. @throws Failure unavailable */
  dissolve: () => Promise<void>
}

export const markerName = 'storage-id'

/** Greater than the length of an id. */
export const maxMarkerBytes = 100

export const isStoredName = (name: string): boolean => nameForm.test(name)

/** Whether it is the name of a file and not of a thumbnail. */
export const isFileId = (name: string): boolean => isStoredName(name) && name.length === idLength

/** The file id at the start of a name. */
export const idIn = (name: string): string => name.slice(0, idLength)

/**
 * `<two>/<two>/<name>`, so that no folder grows large. The first half of an id is a time, so the folders are named
 * after its random end. The layout is the same on disk and in a bucket, so copying one to the other moves the files.
 * @throws Error for a name that Rowhouse did not make, which is a bug
 */
export function storageKeyOf(name: string): string {
  if (!isStoredName(name)) throw new Error('Not a name of a stored file.')
  const id = idIn(name)
  return `${id.slice(-4, -2)}/${id.slice(-2)}/${name}`
}
