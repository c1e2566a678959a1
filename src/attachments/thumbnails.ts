import { createSemaphore } from '../db/semaphore'
import type { Deps } from '../deps'
import { notFound, unavailable } from '../errors'
import { translatable } from '../messages/message'
import { isPicture } from './file-type'
import type { FileRow, ThumbnailSize } from './model'
import type { Storage } from './storage/storage'
import { type ThumbnailFormat, thumbnailName } from './thumbnail-names'

/** Pixels, in each direction. */
const boxes: Record<ThumbnailSize, number> = { small: 320, large: 1600 }

/** A picture of so many pixels takes 200 MB while it is made smaller; cameras have fewer. */
const maxPixels = 50_000_000
const maxPictureBytes = 64 * 2 ** 20

/** At one time, of this process: each takes memory and a core. */
const maxConcurrent = 2

/** Of one page of a grid, all get theirs. */
const thumbnailWaitMs = 15_000

const noThumbnail = () =>
  notFound(translatable('There is no smaller picture of this file.'), translatable('Thumbnails are made of JPEG, PNG, GIF, WebP and BMP.'))

/**
 * Makes smaller pictures: each once, however many ask for it at the same time, and few at a time, which are shared out
 * among callers.
 */
export type Thumbnails = (
  caller: string,
  file: FileRow,
  size: ThumbnailSize,
  format: ThumbnailFormat,
) => Promise<Blob | ReadableStream<Uint8Array>>

export function createThumbnails({ storage }: Pick<Deps, 'storage'>): Thumbnails {
  const making = new Map<string, Promise<Blob>>()
  const gate = createSemaphore(maxConcurrent, thumbnailWaitMs, translatable('Too many pictures are being made smaller at this moment.'))

  const make = async (caller: string, file: FileRow, size: ThumbnailSize, format: ThumbnailFormat, name: string): Promise<Blob> => {
    const leave = await gate.acquire(caller)
    try {
      const bytes = await shrink(storage, file, size, format)
      // A disk that is full keeps nobody from seeing the picture; the storage has told the operator.
      await keep(storage, name, bytes).catch(() => {})
      return new Blob([bytes as Uint8Array<ArrayBuffer>])
    } finally {
      leave()
    }
  }

  return async (caller, file, size, format) => {
    if (!isPicture(file.type) || file.size > maxPictureBytes) throw noThumbnail()
    const name = thumbnailName(file.id, size, format)
    const known = making.get(name)
    if (known) return known
    const kept = await storage.read(name)
    if (kept) return kept
    const made = making.get(name) ?? make(caller, file, size, format, name)
    making.set(name, made)
    return made.finally(() => making.delete(name))
  }
}

async function keep(storage: Storage, name: string, bytes: Uint8Array): Promise<void> {
  const writing = await storage.create(name)
  try {
    await writing.write(bytes)
    await writing.finish()
  } catch (error) {
    await writing.abandon()
    throw error
  }
}

/**
 * The picture as it is shown, without what the camera wrote beside it.
 * @throws Failure not_found for what no picture can be made of
 */
async function shrink(storage: Storage, file: FileRow, size: ThumbnailSize, format: ThumbnailFormat): Promise<Uint8Array> {
  const original = await storage.read(file.id, { size: file.size })
  if (!original) throw noThumbnail()
  const source = original instanceof Blob ? original : await new Response(original).bytes().catch(brokenOff)
  const box = boxes[size]
  try {
    const image = new Bun.Image(source, { maxPixels: maxPixels }).resize(box, box, { fit: 'inside', withoutEnlargement: true })
    return await image[format]().bytes()
  } catch (error) {
    // Bytes that begin like a picture and are none, and pictures that are larger than anybody's.
    if (String((error as { code?: unknown }).code).startsWith('ERR_IMAGE')) throw noThumbnail()
    throw error
  }
}

function brokenOff(): never {
  throw unavailable(translatable('The storage of files is away.'), 5)
}

/**
 * WebP, unless the caller says what it takes and that is not among it (RFC 9110 section 12.5.1; weights are not looked
 * at).
 */
export function thumbnailFormat(accept: string | null, type: string): ThumbnailFormat {
  const takes = (format: string) =>
    accept === null ||
    accept.split(',').some((range) => ['*/*', 'image/*', `image/${format}`].includes(range.split(';')[0]!.trim().toLowerCase()))
  if (takes('webp')) return 'webp'
  return type === 'image/jpeg' || !takes('png') ? 'jpeg' : 'png'
}
