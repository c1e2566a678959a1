import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import type { Entry } from './archive'
import { listName, type Manifest, manifestName, notOurs, readManifest } from './manifest'
import { BackupError, isSystemError } from './problem'

/** One entry on its way out. The names are checked; `bytes` has to be read to its end. */
export type Received = { name: string; isFolder: boolean; bytes: AsyncIterable<Uint8Array> }

export type Content = { manifest: Manifest; entries: Map<string, Entry> }

const longestText = 2 ** 20

/**
 * Reads a backup once, from front to end. When it returns, every byte was that of the list at its end.
 * @param begin is called with the manifest before anything else
 * @throws BackupError for what is no backup, or cut off, or altered, or hostile; whatever `take` throws; the signal's reason
 */
export async function readBackup(
  source: Readable,
  signal: AbortSignal,
  begin: (manifest: Manifest) => void,
  take: (received: Received) => Promise<void>,
): Promise<Content> {
  const tar = extract()
  const flow = pipeline(source, createZstdDecompress(), tar, { signal })
  // What ends the flow also ends the loop below; it is told from there.
  flow.catch(() => {})
  let manifest: Manifest | null = null
  let isListed = false
  const entries = new Map<string, Entry>()
  try {
    for await (const source of tar) {
      const entry = source as AsyncIterable<Uint8Array>
      const { name, isFolder } = identify(source.header, manifest === null)
      if (isListed) throw altered('there is something behind its end')
      const bytes = measured(entry, name, isFolder, entries)
      if (name === listName) {
        await compare(entry, entries)
        isListed = true
      } else if (manifest === null) {
        manifest = readManifest(await textOf(bytes))
        begin(manifest)
      } else {
        await take({ name, isFolder, bytes })
      }
    }
    await flow
    if (manifest === null) throw notOurs()
    if (!isListed) throw altered('its end is missing')
    return { manifest, entries }
  } catch (error) {
    tar.destroy()
    await flow.catch(() => {})
    if (signal.aborted) throw signal.reason
    if (error instanceof BackupError || isSystemError(error)) throw error
    // The decompressor and the reader of the tar speak of bytes.
    throw manifest === null ? notOurs() : altered((error as Error).message)
  }
}

const altered = (reason: string) => new BackupError(`This backup is damaged or was cut off (${reason}). Nothing was changed.`)

/** @throws BackupError for whatever could be written outside of the folder that it is unpacked into */
function identify(header: Header, isFirst: boolean): { name: string; isFolder: boolean } {
  const isFolder = header.type === 'directory'
  const name = isFolder ? header.name.replace(/\/$/, '') : header.name
  if (isFirst && (isFolder || name !== manifestName)) throw notOurs()
  // The reader waits for ever for what such a folder would hold.
  if (isFolder && header.size) throw altered('a folder in it has bytes')
  const isPlain = isFolder || header.type === 'file' || header.type === 'contiguous-file'
  const parts = name.split('/')
  const isSafe = !name.includes('\0') && parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (isPlain && isSafe) return { name, isFolder }
  throw new BackupError(
    `This is no backup that Rowhouse made: the entry ${JSON.stringify(name.slice(0, 200))} ${isPlain ? 'lies outside' : 'is a link or a device'}. Nothing was changed.`,
  )
}

/** Counts and hashes what passes, and remembers it at the end. */
async function* measured(bytes: AsyncIterable<Uint8Array>, name: string, isFolder: boolean, entries: Map<string, Entry>) {
  const hash = new Bun.CryptoHasher('sha256')
  let size = 0
  for await (const chunk of bytes) {
    hash.update(chunk)
    size += chunk.byteLength
    yield chunk
  }
  if (isFolder) return
  if (entries.has(name)) throw altered(`${name} is in it twice`)
  entries.set(name, { size, sha256: hash.digest('hex') })
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > longestText) throw notOurs()
  }
  return text
}

/** Line by line, as the list is as long as there are files. @throws BackupError unless it names exactly what was there */
async function compare(bytes: AsyncIterable<Uint8Array>, entries: ReadonlyMap<string, Entry>) {
  let count = 0
  for await (const line of linesOf(bytes)) {
    const { name, size, sha256 } = JSON.parse(line) as Entry & { name: string }
    const found = entries.get(name)
    if (!found) throw altered(`${name} is missing`)
    if (found.size !== size || found.sha256 !== sha256) throw altered(`${name} has other bytes than were written`)
    count++
  }
  if (count !== entries.size) throw altered('there is more in it than was written')
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestText) throw altered('its list cannot be read')
    yield* lines
  }
  if (rest !== '') throw altered('its list has no end')
}
