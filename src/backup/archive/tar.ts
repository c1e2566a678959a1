import { BackupError, damagedBackup } from '../errors'
import type { Bytes } from './seal'

/**
 * The part of the tar format (POSIX, ustar) that backups and PostgreSQL's BASE_BACKUP use: files and folders with short
 * names. The input may be hostile, so the reader buffers no file in memory, follows no link and never blocks.
 */
const blockBytes = 512
const maxTarNameBytes = 100
/** The largest size that fits into 11 octal digits. */
const maxOctal = 8 ** 11 - 1

/** `type` is the letter of the header: `0` for a file, `5` for a folder. `bytes` end with the entry. */
export type TarEntry = { name: string; type: string; size: number; bytes: Bytes }

/** @param name of a folder, with a trailing slash */
export function tarHeader(name: string, size: number, modifiedAt: Date): Buffer {
  const isFolder = name.endsWith('/')
  if (Buffer.byteLength(name) > maxTarNameBytes)
    throw new BackupError(`The name ${name} is too long for a backup; PostgreSQL has no such names. Move that file away.`)
  const block = Buffer.alloc(blockBytes)
  const octal = (number: number, at: number, digits: number) => block.write(`${number.toString(8).padStart(digits, '0')}\0`, at)
  block.write(name, 0)
  octal(isFolder ? 0o700 : 0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  if (size <= maxOctal) octal(size, 124, 11)
  else {
    // Like GNU tar and others: a number in base 256, with the highest bit set.
    block[124] = 0x80
    block.writeBigUInt64BE(BigInt(size), 128)
  }
  octal(Math.floor(modifiedAt.getTime() / 1000), 136, 11)
  block.write(isFolder ? '5' : '0', 156)
  block.write('ustar\x0000', 257)
  block.write(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** The zeros that pad the last block after this many bytes. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)

export const tarEnd = (): Buffer => Buffer.alloc(2 * blockBytes)

/** The sum of all bytes, with spaces in place of the sum itself. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20
  for (let at = 0; at < blockBytes; at++) if (at < 148 || at >= 156) sum += block[at]!
  return sum
}

/** Yields the entries to the end of the source. Skips the unread rest of an entry. @throws DamagedBackup */
export async function* readTar(source: Bytes): AsyncGenerator<TarEntry> {
  const reader = createReader(source)
  try {
    for (;;) {
      const block = await reader.exactly(blockBytes)
      if (isZero(block)) break
      const header = parseHeader(block)
      let left = header.size
      const bytes = async function* () {
        while (left > 0) {
          const chunk = await reader.some(left)
          left -= chunk.byteLength
          yield chunk
        }
      }
      yield { ...header, bytes: bytes() }
      while (left > 0) left -= (await reader.some(left)).byteLength
      await reader.exactly(tarPadding(header.size).byteLength)
    }
    await reader.zeros()
  } finally {
    await reader.close()
  }
}

const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0)

function parseHeader(block: Buffer): Omit<TarEntry, 'bytes'> {
  const text = (start: number, length: number) => {
    const field = block.subarray(start, start + length)
    const end = field.indexOf(0)
    return field.toString('utf8', 0, end === -1 ? length : end)
  }
  if (Number.parseInt(text(148, 8), 8) !== checksumOf(block)) throw damagedBackup('a header in it is not intact')
  const size =
    block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : /^[0-7]+ *$/.test(text(124, 12)) ? Number.parseInt(text(124, 12), 8) : -1
  if (!Number.isSafeInteger(size) || size < 0) throw damagedBackup('a length in it cannot be')
  const prefix = text(345, 155)
  const type = block[156] === 0 ? '0' : String.fromCharCode(block[156]!)
  return { name: prefix ? `${prefix}/${text(0, maxTarNameBytes)}` : text(0, maxTarNameBytes), type, size }
}

/** Returns bytes in the requested lengths. */
function createReader(source: Bytes) {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()
  const more = async () => {
    const next = await chunks.next()
    if (!next.done) rest = next.value
    return !next.done
  }
  const some = async (most: number): Promise<Uint8Array> => {
    while (rest.byteLength === 0) if (!(await more())) throw damagedBackup('its end is missing')
    const taken = rest.subarray(0, most)
    rest = rest.subarray(taken.byteLength)
    return taken
  }
  return {
    /** At least one byte, and at most `most`. */
    some,
    exactly: async (count: number): Promise<Buffer> => {
      const parts: Uint8Array[] = []
      for (let left = count; left > 0; ) {
        const part = await some(left)
        left -= part.byteLength
        parts.push(part)
      }
      return Buffer.concat(parts)
    },
    /** Reads the rest. @throws DamagedBackup unless it consists of zeros */
    zeros: async () => {
      do {
        if (!isZero(rest)) throw damagedBackup('there is something behind its end')
      } while (await more())
    },
    close: async () => void (await chunks.return?.()),
  }
}
