import type { Deps } from '../deps'
import { Failure } from '../errors'
import { type Message, translatable } from '../messages/message'
import { cleanFileName } from './file-name'
import { type FoundType, findType, isAccepted, isPicture, tellingBytes } from './file-type'
import type { Incoming, NewFile } from './model'

/** The number of leading bytes to buffer: in an image, the dimensions may follow a long preview. */
const headBytes = 2 ** 20

/** How often the free disk space is checked. */
const bytesBetweenChecks = 16 * 2 ** 20

/**
 * The limits of one upload: a file must match each list of `accepts`, and `count` throws when the files together are
 * too large.
 */
export type Allowance = { accepts: readonly (readonly string[])[]; count: (bytes: number) => void; maxFileBytes?: number }

type Intake = Pick<Deps, 'config' | 'storage'>

const tooLarge = (message: Message, limitBytes: number) =>
  new Failure('payload_too_large', message, {
    details: { limitBytes },
    headers: { connection: 'close' },
  })

const tooLargeFile = (limitBytes: number) => tooLarge(translatable('A file is larger than {limitBytes} bytes.', { limitBytes }), limitBytes)

const noRoom = () =>
  new Failure('insufficient_storage', translatable('There is not enough storage space for this file.'), {
    headers: { connection: 'close' },
  })

const unwanted = (accept: readonly string[]) =>
  new Failure('unsupported_media_type', translatable('This column accepts only {accept}.', { accept: accept.join(', ') }), {
    hint: translatable('The type is detected from the content, not from the name or the Content-Type.'),
    headers: { connection: 'close' },
  })

/** Counts the bytes of all files of one upload. @throws Failure payload_too_large, while they arrive */
export function countUpTo(limitBytes: number): (bytes: number) => void {
  let total = 0
  return (bytes) => {
    total += bytes
    if (total > limitBytes)
      throw tooLarge(translatable('Together, the files are larger than {limitBytes} bytes.', { limitBytes }), limitBytes)
  }
}

/**
 * Passes one file from the sender to storage without holding it in memory: counts, hashes, inspects and writes it as it
 * arrives. When it returns, the bytes would survive a power failure; when it throws, nothing is stored.
 * @throws Failure payload_too_large, insufficient_storage, unsupported_media_type, unavailable; the errors of `bytes`
 */
export async function storeIncoming(deps: Intake, id: string, { name: sentName, bytes }: Incoming, allowance: Allowance): Promise<NewFile> {
  const { storage, config } = deps
  const { accepts, count, maxFileBytes = config.maxUploadBytes } = allowance
  const name = cleanFileName(sentName)
  const mayGrow = roomKeeper(deps)
  const hash = new Bun.CryptoHasher('sha256')
  const head = createHead()
  let size = 0
  let found: FoundType | undefined
  const look = async () => {
    const type = await findType(head.bytes().subarray(0, tellingBytes), name)
    const violated = accepts.find((accept) => !isAccepted(accept, type, name))
    if (violated) throw unwanted(violated)
    return type
  }
  await mayGrow(0, 0)
  const writing = await storage.create(id)
  try {
    for await (const chunk of bytes) {
      await mayGrow(size, chunk.byteLength)
      size += chunk.byteLength
      if (size > maxFileBytes) throw tooLargeFile(maxFileBytes)
      count(chunk.byteLength)
      head.add(chunk)
      if (head.size() >= tellingBytes) found ??= await look()
      hash.update(chunk)
      await writing.write(chunk)
    }
    found ??= await look()
    await writing.finish()
  } catch (error) {
    await writing.abandon()
    throw error
  }
  const pixels = isPicture(found.type) ? await pixelsOf(head.bytes()) : { width: null, height: null }
  return { id, name, size, type: found.type, sha256: hash.digest('base64url'), ...pixels }
}

/** Checks from time to time how much free space the disk has above its floor. @throws Failure insufficient_storage */
function roomKeeper({ storage, config }: Intake): (writtenBytes: number, moreBytes: number) => Promise<void> {
  let mayReach = -1
  return async (writtenBytes, moreBytes) => {
    if (writtenBytes + moreBytes <= mayReach) return
    const free = await storage.freeBytes()
    const room = free === null ? bytesBetweenChecks : free - config.minFreeBytes
    if (room < moreBytes) throw noRoom()
    mayReach = writtenBytes + Math.min(bytesBetweenChecks, room)
  }
}

/** Keeps a copy of the beginning. */
function createHead() {
  let room = Buffer.alloc(tellingBytes)
  let size = 0
  return {
    size: () => size,
    add: (chunk: Uint8Array) => {
      const taken = chunk.subarray(0, headBytes - size)
      while (room.byteLength < size + taken.byteLength) room = Buffer.concat([room], room.byteLength * 2)
      room.set(taken, size)
      size += taken.byteLength
    },
    bytes: () => room.subarray(0, size),
  }
}

/** The size as displayed: width and height are swapped if the EXIF orientation rotates the image. */
async function pixelsOf(head: Uint8Array): Promise<{ width: number | null; height: number | null }> {
  try {
    const { width, height } = await new Bun.Image(head).metadata()
    return { width, height }
  } catch {
    return { width: null, height: null }
  }
}
