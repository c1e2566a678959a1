import { type Picture, pictureExtension } from './render/job'

const maxPictures = 200
const maxEmbeddedBytes = 64 * 2 ** 20

type Stored = { type: string; bytes: () => Promise<Uint8Array>; width?: number; height?: number }

/**
 * Splits the result of `load` into JSON and its images: files of `files.read`, blobs, and bytes. A file that is not an
 * image becomes its name.
 * @throws TypeError for a value that JSON does not have, or too much data
 */
export async function takePictures(value: unknown): Promise<{ data: string; pictures: Picture[] }> {
  const pictures: Picture[] = []
  let size = 0
  const take = (picture: Picture) => {
    size += picture.bytes.byteLength
    if (pictures.length >= maxPictures || size > maxEmbeddedBytes) throw new TypeError('The data hold too many or too large pictures.')
    return { $picture: pictures.push(picture) - 1 }
  }
  const walk = async (item: unknown, depth: number): Promise<unknown> => {
    if (depth > 64) throw new TypeError('The data are nested too deep, or in a circle.')
    if (typeof item === 'bigint') return String(item)
    if (typeof item !== 'object' || item === null) return item
    const picture = await pictureIn(item)
    if (picture) return take(picture)
    if (isStored(item)) return (item as { name?: string }).name ?? null
    if (Array.isArray(item)) return Promise.all(item.map((each) => walk(each, depth + 1)))
    if (typeof (item as { toJSON?: unknown }).toJSON === 'function') return item
    const entries = Object.entries(item).filter(([name]) => name !== '$picture')
    return Object.fromEntries(await Promise.all(entries.map(async ([name, each]) => [name, await walk(each, depth + 1)] as const)))
  }
  const walked = await walk(value ?? {}, 0)
  return { data: JSON.stringify(typeof walked === 'object' && !Array.isArray(walked) ? walked : { value: walked }), pictures }
}

const isStored = (item: object): item is Stored =>
  typeof (item as Partial<Stored>).bytes === 'function' && typeof (item as Partial<Stored>).type === 'string'

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
