import { beforeAll, describe, expect, test } from 'bun:test'
import { appendSeal, checkSeal } from '../../src/backup/archive/seal'
import { encrypted, faultOf, piecesOf, smallBackup } from '../support/archives'
import { rounds } from '../support/drill'
import { printedRandom } from '../support/random'

const flips = Number(process.env.BACKUP_FLIPS ?? rounds(50, 5000))
const others = Number(process.env.BACKUP_CUTS ?? rounds(25, 2000))

const passphrase = 'correct horse'
const random = printedRandom()
const backups = new Map<string, Uint8Array>()

beforeAll(async () => {
  const plain = await smallBackup(random)
  backups.set('plain', plain)
  backups.set('encrypted', await encrypted(plain, passphrase))
})

const below = (limit: number) => Math.floor(random() * limit)

/** Of a backup, by `change`, so often. @returns what the changes were that nobody noticed */
async function unnoticed(kind: string, count: number, change: (bytes: Uint8Array) => { bytes: Uint8Array; what: string }) {
  const found: string[] = []
  for (let round = 0; round < count; round++) {
    const { bytes, what } = change(Uint8Array.from(backups.get(kind)!))
    if ((await faultOf(bytes, passphrase)) === null) found.push(what)
  }
  return found
}

function flip(bytes: Uint8Array, at: number, bit = below(8)) {
  bytes[at]! ^= 1 << bit
  return { bytes, what: `bit ${bit} of byte ${at} of ${bytes.length}` }
}

describe.each(['plain', 'encrypted'])('in a backup that is %s,', (kind) => {
  test('nothing is wrong by itself', async () => {
    expect(await faultOf(backups.get(kind)!, passphrase)).toBeNull()
  })

  test('every single flipped bit is noticed', async () => {
    expect(await unnoticed(kind, flips, (bytes) => flip(bytes, below(bytes.length)))).toEqual([])
  }, 3_600_000)

  test('also each in the last bytes and in the first, where the checksum of zstd was not looked at', async () => {
    const { length } = backups.get(kind)!
    const places = [...Array(160).keys()].map((at) => length - 1 - at).concat([...Array(40).keys()])
    const next = places.values()
    expect(await unnoticed(kind, places.length, (bytes) => flip(bytes, next.next().value!))).toEqual([])
  }, 600_000)

  test('every truncation is noticed', async () => {
    const cut = (bytes: Uint8Array) => {
      const length = random() < 0.3 ? bytes.length - 1 - below(300) : below(bytes.length)
      return { bytes: bytes.slice(0, length), what: `${length} of ${bytes.length} bytes` }
    }
    expect(await unnoticed(kind, others, cut)).toEqual([])
  }, 3_600_000)

  test('every two blocks that are swapped, and every block that is there twice or missing, are noticed', async () => {
    const blocks = [512, 4096, 65_536, 65_552]
    const swap = (bytes: Uint8Array) => {
      const size = Math.min(blocks[below(blocks.length)]!, Math.floor(bytes.length / 3))
      const [first, second] = [below(Math.floor(bytes.length / size) - 1), below(Math.floor(bytes.length / size))].map(
        (block) => block * size,
      )
      const [one, two] = [bytes.slice(first, first! + size), bytes.slice(second, second! + size)]
      const what = `blocks of ${size} at ${first} and ${second}`
      const manner = below(3)
      if (manner === 1)
        return { bytes: Buffer.concat([bytes.slice(0, first), bytes.slice(first! + size)]), what: `${what}, the first missing` }
      if (manner === 2)
        return { bytes: Buffer.concat([bytes.slice(0, second), one, bytes.slice(second)]), what: `${what}, the first twice` }
      bytes.set(one.subarray(0, two.length), second)
      bytes.set(two, first)
      // Two that are alike, and one with itself, are no change.
      return Buffer.compare(bytes, backups.get(kind)!) === 0 ? flip(bytes, below(bytes.length)) : { bytes, what }
    }
    expect(await unnoticed(kind, others, swap)).toEqual([])
  }, 3_600_000)

  test('bytes behind its end are noticed', async () => {
    const more = (bytes: Uint8Array, rest: Uint8Array) => faultOf(Buffer.concat([bytes, rest]), passphrase)
    const bytes = backups.get(kind)!
    for (const rest of [new Uint8Array(1), new Uint8Array(512), bytes]) expect(await more(bytes, rest)).toContain('damaged')
  })
})

test('a seal fits in whatever pieces the bytes come', async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(300))
  const sealed: Uint8Array[] = []
  for await (const chunk of appendSeal(piecesOf(bytes))) sealed.push(chunk)
  const whole = Buffer.concat(sealed)
  for (let length = 1; length < 400; length += 7) {
    const read: Uint8Array[] = []
    for await (const chunk of checkSeal(piecesOf(whole, length))) read.push(chunk.slice())
    expect(Buffer.concat(read).equals(bytes)).toBe(true)
  }
})
