const signatureCommand = 0x1d
const codeDirectory = 0xfade0c02
const sha256Type = 2

/**
 * macOS kills a program whose signature does not match its bytes. Bun signs programs that it compiles for Apple's own
 * processors; those for Intel keep only the signature of Bun itself (oven-sh/bun#39837).
 * @param file a program for one processor
 * @returns whether it has a signature that covers all preceding bytes and matches them
 */
export function hasValidSignature(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const place = signaturePlace(bytes)
  const directory = place === null ? null : findDirectory(bytes, place)
  if (place === null || directory === null) return false
  const [hashes, pages, limit] = [16, 28, 32].map((at) => bytes.readUInt32BE(directory + at)) as [number, number, number]
  const [size, type, pageBits] = [36, 37, 39].map((at) => bytes.readUInt8(directory + at)) as [number, number, number]
  const pageSize = 2 ** pageBits
  if (type !== sha256Type || limit !== place || pages !== Math.ceil(limit / pageSize)) return false
  return Array.from({ length: pages }, (_, page) => page).every((page) => {
    const content = bytes.subarray(page * pageSize, Math.min((page + 1) * pageSize, limit))
    const signed = bytes.subarray(directory + hashes + page * size, directory + hashes + (page + 1) * size)
    return new Bun.CryptoHasher('sha256').update(content).digest().subarray(0, size).equals(signed)
  })
}

/** The header of 32 bytes is followed by commands, each with a kind and a length. */
function signaturePlace(bytes: Buffer): number | null {
  let at = 32
  for (let rest = bytes.readUInt32LE(16); rest > 0; rest--) {
    if (bytes.readUInt32LE(at) === signatureCommand) return bytes.readUInt32LE(at + 8)
    at += bytes.readUInt32LE(at + 4)
  }
  return null
}

/** A signature is a list of parts, each with a kind and an offset; one part holds the hashes. */
function findDirectory(bytes: Buffer, place: number): number | null {
  const parts = Array.from({ length: bytes.readUInt32BE(place + 8) }, (_, index) => place + bytes.readUInt32BE(place + 16 + index * 8))
  return parts.find((part) => bytes.readUInt32BE(part) === codeDirectory) ?? null
}
