import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { BackupError, damagedBackup, isSystemError, notABackup } from '../errors'
import { decrypt } from './encryption'
import { type BackupContents, type BackupManifest, readContents, readManifest } from './manifest'
import { clusterFolder, contentsName, type HashedEntry, hashesName, manifestName, maxHashLines, maxTextBytes } from './names'
import { type Bytes, checkSeal, streamBuffers } from './seal'
import { readTar, type TarEntry } from './tar'

/** An entry with a checked name. `bytes` must be read to its end before `hash` is called. */
export type ReceivedEntry = { name: string; isFolder: boolean; size: number; bytes: Bytes; hash: () => string }

/** The contents of a backup that was read to its end. `bytes` and `entries` are those of its files, unpacked. */
export type ReadBackup = { manifest: BackupManifest; contents: BackupContents; entries: number; bytes: number }

export type ReadBackupOptions = {
  passphrase: string | undefined
  signal: AbortSignal
  /** Called with the manifest before anything else. */
  begin: (manifest: BackupManifest) => void
  take: (received: ReceivedEntry) => Promise<void>
}

/**
 * Reads a backup once, from beginning to end. When it returns, every byte of the file has been verified.
 * @throws BackupError, DamagedBackup; the errors of `take`; the signal's reason
 */
export async function readBackup(source: Bytes, options: ReadBackupOptions): Promise<ReadBackup> {
  const { passphrase, signal } = options
  const state = createState(options)
  const entries = async (plain: Bytes) => {
    for await (const entry of readTar(plain)) await state.take(entry)
  }
  try {
    await pipeline(source, decrypt({ passphrase }), requireFrame, checkSeal, createZstdDecompress(streamBuffers), entries, { signal })
    return state.finish()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    // Other errors come from the decompressor, which rejects damaged bytes.
    throw error instanceof BackupError || isSystemError(error) ? error : damagedBackup((error as Error).message)
  }
}

/** Reads only the beginning. @throws like `readBackup` */
export const readManifestOf = (source: Bytes, passphrase: string | undefined, signal: AbortSignal): Promise<BackupManifest> =>
  readUntil<BackupManifest>(source, passphrase, signal, (resolve) => ({ begin: resolve, take: async () => {} }))

/** `startSegment` is the first segment of the log that its recovery reads; null without an archive of the log. */
export type BackupBeginning = { manifest: BackupManifest; startSegment: string | null }

/** Reads the manifest and PostgreSQL's label, which is the first file of a cluster. @throws like `readBackup` */
export const readBeginningOf = (source: Bytes, passphrase: string | undefined, signal: AbortSignal): Promise<BackupBeginning> =>
  readUntil<BackupBeginning>(source, passphrase, signal, (resolve) => {
    let manifest: BackupManifest
    return {
      begin: (read) => {
        manifest = read
        if (!manifest.walArchive) resolve({ manifest, startSegment: null })
      },
      take: async ({ name, bytes }) => {
        const label = name === `${clusterFolder}/backup_label` ? await readText(bytes) : ''
        resolve({ manifest, startSegment: startLine.exec(label)?.[1] ?? null })
      },
    }
  })

const startLine = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)$/m

async function readUntil<Result>(
  source: Bytes,
  passphrase: string | undefined,
  signal: AbortSignal,
  read: (resolve: (result: Result) => void) => Pick<ReadBackupOptions, 'begin' | 'take'>,
): Promise<Result> {
  const found = Promise.withResolvers<Result>()
  const enough = new AbortController()
  const reading = readBackup(source, {
    passphrase,
    signal: AbortSignal.any([signal, enough.signal]),
    ...read((result) => {
      found.resolve(result)
      enough.abort()
    }),
  })
  await reading.catch(found.reject)
  return found.promise
}

/** The magic number of a zstd frame. */
const frameStart = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

async function* requireFrame(source: Bytes): AsyncGenerator<Uint8Array> {
  let beginning: Buffer | null = Buffer.alloc(0)
  for await (const chunk of source) {
    if (beginning) {
      beginning = Buffer.concat([beginning, chunk])
      if (beginning.byteLength < frameStart.byteLength) continue
      if (!beginning.subarray(0, frameStart.byteLength).equals(frameStart)) throw notABackup()
      yield beginning
      beginning = null
    } else yield chunk
  }
  if (beginning) throw notABackup()
}

function createState({ begin, take }: ReadBackupOptions) {
  let manifest: BackupManifest | null = null
  let contents: BackupContents | null = null
  let entries = 0
  let bytes = 0
  const pending = new Map<string, HashedEntry>()

  const takeEntry = async (entry: TarEntry) => {
    const { name, isFolder } = identify(entry, manifest === null)
    const source = entry.bytes
    if (name.startsWith(hashesName)) return compareHashes(await readText(source), pending)
    if (pending.size > maxHashLines) throw damagedBackup('its hashes are missing')
    const hash = new Bun.CryptoHasher('sha256')
    let size = 0
    const measured = async function* () {
      for await (const chunk of source) {
        hash.update(chunk)
        size += chunk.byteLength
        yield chunk
      }
    }
    let sha256: string | undefined
    const digest = () => {
      sha256 ??= hash.digest('hex')
      return sha256
    }
    if (name === manifestName) {
      if (manifest) throw damagedBackup('it has a second beginning')
      manifest = readManifest(await readText(measured()))
      begin(manifest)
    } else if (name === contentsName) {
      contents = readContents(await readText(measured()))
    } else {
      await take({ name, isFolder, size: entry.size, bytes: measured(), hash: digest })
      if (!isFolder) entries++
      bytes += size
    }
    if (isFolder) return
    if (pending.has(name)) throw damagedBackup(`${name} is in it twice`)
    pending.set(name, { name, size, sha256: digest() })
  }

  return {
    take: takeEntry,
    finish: (): ReadBackup => {
      if (manifest === null) throw notABackup()
      if (contents === null || pending.size > 0) throw damagedBackup('its end is missing')
      return { manifest, contents, entries, bytes }
    },
  }
}

/** @throws BackupError for an entry that would be written outside the folder into which the backup is unpacked */
function identify({ name: given, type, size }: TarEntry, isFirst: boolean): { name: string; isFolder: boolean } {
  const isFolder = type === '5'
  const name = isFolder ? given.replace(/\/$/, '') : given
  if (isFirst && (isFolder || name !== manifestName)) throw notABackup()
  if (isFolder && size > 0) throw damagedBackup('a folder in it has bytes')
  const isPlain = isFolder || type === '0'
  const isSafe = name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  if (isPlain && isSafe) return { name, isFolder }
  throw new BackupError(
    `This is not a backup of Rowhouse: the entry ${JSON.stringify(name)} ${isPlain ? 'lies outside' : 'is a link or a device'}. Nothing was changed.`,
  )
}

/** Compares the files since the last hashes. @throws DamagedBackup unless they are exactly the listed ones */
function compareHashes(text: string, pending: Map<string, HashedEntry>) {
  for (const line of text.split('\n').slice(0, -1)) {
    const { name, size, sha256 } = JSON.parse(line) as HashedEntry
    const found = pending.get(name)
    if (!found) throw damagedBackup(`${name} is missing`)
    if (found.size !== size || found.sha256 !== sha256) throw damagedBackup(`${name} has other bytes than were written`)
    pending.delete(name)
  }
  if (pending.size > 0) throw damagedBackup('there is more in it than was written')
}

async function readText(bytes: Bytes): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxTextBytes) throw notABackup()
  }
  return text
}
