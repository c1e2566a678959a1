import { type Picture, pictureExtension } from './render/job'

const maxPictures = 200
const maxEmbeddedBytes = 64 * 2 ** 20

type Stored = { type: string; size?: number; bytes: () => Promise<Uint8Array>; width?: number; height?: number }

/**
 * Splits the result of `load` into JSON and its images: files of `files.read`, blobs, and bytes. A file that is not an
 * image becomes its name.
 * @throws TypeError for a value that JSON does not have, or too much data
 */
export async function takePictures(value: unknown): Promise<{ data: string; pictures: Picture[] }> {
  const pictures: Picture[] = []
  let size = 0
  // Before a picture is read: the files of records may be larger than the memory.
  const read = async (item: object): Promise<Picture | null> => {
    const expected = sizeOf(item)
    if (expected === null) return null
    if (pictures.length >= maxPictures || size + expected > maxEmbeddedBytes) throw tooManyPictures()
    const picture = await pictureIn(item)
    size += picture?.bytes.byteLength ?? 0
    if (size > maxEmbeddedBytes) throw tooManyPictures()
    return picture
  }
  const walk = async (item: unknown, depth: number): Promise<unknown> => {
    if (depth > 64) throw new TypeError('The data are nested too deep, or in a circle.')
    if (typeof item === 'bigint') return String(item)
    if (typeof item !== 'object' || item === null) return item
    const picture = await read(item)
    if (picture) return { $picture: pictures.push(picture) - 1 }
    if (isStored(item)) return (item as { name?: string }).name ?? null
    if (Array.isArray(item)) return walkAll(item, depth)
    if (typeof (item as { toJSON?: unknown }).toJSON === 'function') return item
    const entries = Object.entries(item).filter(([name]) => name !== '$picture')
    const values = await walkAll(
      entries.map(([, each]) => each),
      depth,
    )
    return Object.fromEntries(entries.map(([name], index) => [name, values[index]]))
  }
  // Read one after the other, so that no more than the maximum is in memory.
  const walkAll = async (items: unknown[], depth: number): Promise<unknown[]> => {
    const walked: unknown[] = []
    for (const item of items) walked.push(await walk(item, depth + 1))
    return walked
  }
  const walked = await walk(value ?? {}, 0)
  return { data: JSON.stringify(typeof walked === 'object' && !Array.isArray(walked) ? walked : { value: walked }), pictures }
}

const isStored = (item: object): item is Stored =>
  typeof (item as Partial<Stored>).bytes === 'function' && typeof (item as Partial<Stored>).type === 'string'

const tooManyPictures = () => new TypeError('The data hold too many or too large pictures.')

/** Null if the item is not a picture. */
function sizeOf(item: object): number | null {
  if (item instanceof Uint8Array) return item.byteLength
  if (item instanceof Blob) return item.size
  return isStored(item) && pictureExtension(item.type) !== null ? (item.size ?? 0) : null
}

async function pictureIn(item: object): Promise<Picture | null> {
  if (item instanceof Uint8Array) return pictureTypes(item, pictureType(item))
  if (item instanceof Blob) return pictureTypes(new Uint8Array(await item.arrayBuffer()), item.type)
  if (!isStored(item) || pictureExtension(item.type) === null) return null
  return { type: item.type, bytes: await item.bytes(), width: item.width, height: item.height }
}

function pictureTypes(bytes: Uint8Array, type: string): Picture {
  if (pictureExtension(type) === null) throw new TypeError('Bytes among the data are no picture that a document can show.')
  return { type, bytes }
}

const beginnings: [string, string][] = [
  ['\x89PNG', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['RIFF', 'image/webp'],
  ['<svg', 'image/svg+xml'],
  ['<?xml', 'image/svg+xml'],
]

function pictureType(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 8)).toString('latin1')
  return beginnings.find(([beginning]) => head.startsWith(beginning))?.[1] ?? ''
}
