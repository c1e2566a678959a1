/**
 * What a name in storage looks like: the id of a file, or of a thumbnail that id with its size and format behind it.
 */
const nameForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.(?:small|large)\.(?:webp|png|jpeg))?$/

const idLength = 36

/** Bytes on their way in. Exactly one of `finish` and `abandon` ends it. */
export type StorageWrite = {
  /** Resolves when there is room for more. @throws Failure insufficient_storage, unavailable */
  write: (chunk: Uint8Array) => Promise<void>
  /** Resolves when the bytes would survive a loss of power. @throws as `write` */
  finish: () => Promise<void>
  /** Leaves nothing behind. Never throws: what could not be removed is left to the sweep. */
  abandon: () => Promise<void>
}

/** The bytes from `start` up to but not including `end`. */
export type Slice = { start: number; end: number }

/** What is read: all, or a slice. `size` is how many bytes there have to be in all; absent where nobody knows. */
export type RequestedFile = { size?: number; slice?: Slice }

/**
 * Where the bytes of files are: a folder (`disk.ts`) or a bucket (`s3.ts`). Names are made by us and never by a caller
 * (SEC-56).
 */
export type Storage = {
  /** For the operator: the folder's path, or the bucket's name. */
  place: string
  create: (name: string) => Promise<StorageWrite>
  /**
   * Ready to be the body of an answer; null when there are no such bytes, or more or fewer than there have to be: a
   * damaged file must not look like a whole one. What breaks off later breaks the answer, and never ends it well.
   * @throws Failure unavailable
   */
  read: (name: string, wanted?: RequestedFile) => Promise<Blob | ReadableStream<Uint8Array> | null>
  /** Does not mind names that are not there. @throws Failure unavailable */
  remove: (names: readonly string[]) => Promise<void>
  /**
   * Every name there is, with the bytes' length. What does not look like one of our names is left out.
   * @throws Failure unavailable
   */
  list: () => AsyncIterable<{ name: string; size: number }>
  /** How much more fits; null where nobody knows. */
  freeBytes: () => Promise<number | null>
}

/**
 * A storage that says whose it is: next to the files it holds an id, in `storage-id`, which the database holds as well
 * (`identity.ts`). A copy of the storage keeps it, so files may be moved.
 */
export type MarkedStorage = Storage & {
  /** Null where there is none. It may be anything, since others may write there. @throws Failure unavailable */
  readId: () => Promise<string | null>
  /** @throws Failure insufficient_storage, unavailable */
  writeId: (id: string) => Promise<void>
  /** Removes what killed processes have left half written, where nobody else writes. @throws Failure unavailable */
  removeUnfinished: () => Promise<void>
  /** Removes the id and empty folders, when all files have been removed. @throws Failure unavailable */
  dissolve: () => Promise<void>
}

export const markerName = 'storage-id'

/** More than an id has. */
export const maxMarkerBytes = 100

export const isStoredName = (name: string): boolean => nameForm.test(name)

/** Whether it is the name of a file, and of no smaller picture of one. */
export const isFileId = (name: string): boolean => isStoredName(name) && name.length === idLength

/** The file's id that a name begins with. */
export const idIn = (name: string): string => name.slice(0, idLength)

/**
 * `<two>/<two>/<name>`, so that no folder grows large. The first half of an id is a time, so the folders come from the
 * random end.
 * The same on disk and in a bucket: copying one to the other moves the files.
 * @throws Error for a name that is none of ours; that is a mistake in the code
 */
export function storageKeyOf(name: string): string {
  if (!isStoredName(name)) throw new Error('Not a name of a stored file.')
  const id = idIn(name)
  return `${id.slice(-4, -2)}/${id.slice(-2)}/${name}`
}
