import { deflateRawSync, gzipSync } from 'node:zlib'
import { picture } from './attachments'

/** A small PNG whose header says that it has 50,000 by 50,000 pixels, which take 10 GB. */
export async function pictureBomb(): Promise<Uint8Array<ArrayBuffer>> {
  const png = Buffer.from(await picture(10, 10))
  const header = png.subarray(12, 29)
  header.writeUInt32BE(50_000, 4)
  header.writeUInt32BE(50_000, 8)
  png.writeUInt32BE(Bun.hash.crc32(header), 29)
  return new Uint8Array(png)
}

const unpackedBytes = 256 * 2 ** 20

/** Files that keep a careless reader busy or fill its memory, each with a description, a name and the bytes. */
export const fileBombs: [what: string, name: string, bytes: () => Uint8Array<ArrayBuffer>][] = [
  [
    'an ASF header whose parts have no length',
    'a.asf',
    () => bytesOf(Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(39)),
  ],
  [
    'a Word document whose list of contents unpacks to 256 MB',
    'a.docx',
    () => bytesOf(zipOf('[Content_Types].xml', new Uint8Array(unpackedBytes))),
  ],
  [
    'a PNG whose profile unpacks to 256 MB',
    'a.png',
    () => bytesOf(Buffer.from('89504e470d0a1a0a', 'hex'), gzipSync(new Uint8Array(unpackedBytes))),
  ],
  ['a million openings', 'a.svg', () => bytesOf(Buffer.from('<'.repeat(1_000_000)))],
  ['spaces before nothing', 'a.html', () => bytesOf(Buffer.from(' '.repeat(1_000_000)))],
]

const bytesOf = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))

/** A ZIP with one entry and the given sizes. */
function zipOf(name: string, content: Uint8Array): Buffer {
  const packed = deflateRawSync(content)
  const entry = Buffer.alloc(26)
  entry.writeUInt16LE(20, 0)
  entry.writeUInt16LE(8, 4)
  entry.writeUInt32LE(Bun.hash.crc32(content), 10)
  entry.writeUInt32LE(packed.length, 14)
  entry.writeUInt32LE(content.byteLength, 18)
  entry.writeUInt16LE(name.length, 22)
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), entry, Buffer.alloc(14), Buffer.from(name)])
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), entry, Buffer.from(name), packed])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, central, end])
}
