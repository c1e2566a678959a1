import { damagedBackup } from '../errors'

/**
 * The end of a backup: a frame that zstd skips, with the SHA-256 of every byte before the hash. It detects a changed
 * bit anywhere (even in the seal), reordered blocks, a missing end and bytes after it. The frames of zstd and the
 * headers of tar are not enough: both have bytes that their readers do not check.
 */
const sealBytes = 64
const magic = 0x184d2a52
const label = 'rowhouse-backup1'

export type Bytes = AsyncIterable<Uint8Array>

/**
 * For the two streams of zstd, which works in a separate thread: neither side has to wait for the other at each chunk.
 */
export const streamBuffers = { chunkSize: 2 ** 18, readableHighWaterMark: 2 ** 22, writableHighWaterMark: 2 ** 22 }

/** The magic number, the length of the frame, a label, and the number of bytes before the seal. */
function sealHead(length: number): Buffer {
  const head = Buffer.alloc(sealBytes - 32)
  head.writeUInt32LE(magic, 0)
  head.writeUInt32LE(sealBytes - 8, 4)
  head.write(label, 8, 'latin1')
  head.writeBigUInt64LE(BigInt(length), 24)
  return head
}

/** Passes everything on, followed by the seal. */
export async function* appendSeal(source: Bytes): AsyncGenerator<Uint8Array> {
  const hash = new Bun.CryptoHasher('sha256')
  let length = 0
  for await (const chunk of source) {
    hash.update(chunk)
    length += chunk.byteLength
    yield chunk
  }
  const head = sealHead(length)
  yield Buffer.concat([head, hash.update(head).digest()])
}

/** Passes on everything but the seal. @throws DamagedBackup at the end, unless the seal matches the bytes */
export async function* checkSeal(source: Bytes): AsyncGenerator<Uint8Array> {
  const hash = new Bun.CryptoHasher('sha256')
  let length = 0
  let held = Buffer.alloc(0)
  for await (const chunk of source) {
    const passed = held.byteLength + chunk.byteLength - sealBytes
    if (passed <= 0) {
      held = Buffer.concat([held, chunk])
      continue
    }
    // After a short chunk, some bytes stay held back.
    const ready = [held.subarray(0, passed), chunk.subarray(0, Math.max(0, passed - held.byteLength))]
    held = Buffer.concat([held.subarray(Math.min(passed, held.byteLength)), chunk.subarray(Math.max(0, passed - held.byteLength))])
    for (const part of ready) {
      if (part.byteLength === 0) continue
      hash.update(part)
      length += part.byteLength
      yield part
    }
  }
  const head = sealHead(length)
  if (!held.equals(Buffer.concat([head, hash.update(head).digest()]))) throw damagedBackup('its hash is not that of its bytes')
}
