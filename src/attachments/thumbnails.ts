import { createSemaphore } from '../db/pool/semaphore'
import type { Deps } from '../deps'
import { notFound, unavailable } from '../errors'
import { translatable } from '../messages/message'
import { isPicture } from './file-type'
import type { FileRow, ThumbnailSize } from './model'
import type { Storage } from './storage/storage'
import { type ThumbnailFormat, thumbnailName } from './thumbnail-names'

/** Maximum width and height in pixels. */
const boxes: Record<ThumbnailSize, number> = { small: 320, large: 1600 }

/** An image of this many pixels takes 200 MB while it is scaled down; cameras have fewer. */
const maxPixels = 50_000_000
const maxPictureBytes = 64 * 2 ** 20

/** Limit of this process: each takes memory and a core. */
const maxConcurrent = 2

/** Long enough for all thumbnails of one grid page. */
const thumbnailWaitMs = 15_000

const noThumbnail = () =>
  notFound(translatable('This file has no thumbnail.'), translatable('Thumbnails are available for JPEG, PNG, GIF, WebP and BMP.'))

/**
 * Makes thumbnails: each once, however many callers request it at the same time, and few at a time, shared fairly among
 * callers.
 */
export type Thumbnails = (
  caller: string,
  file: FileRow,
  size: ThumbnailSize,
  format: ThumbnailFormat,
) => Promise<Blob | ReadableStream<Uint8Array>>

export function createThumbnails({ storage }: Pick<Deps, 'storage'>): Thumbnails {
  const making = new Map<string, Promise<Blob>>()
  const gate = createSemaphore(maxConcurrent, thumbnailWaitMs, translatable('Too many thumbnails are being made at this moment.'))

  const make = async (caller: string, file: FileRow, size: ThumbnailSize, format: ThumbnailFormat, name: string): Promise<Blob> => {
    const leave = await gate.acquire(caller)
    try {
      const bytes = await shrink(storage, file, size, format)
      // A full disk does not keep callers from seeing the image; the storage has told the operator.
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
 * The image as displayed, without the camera's metadata.
 * @throws Failure not_found if it cannot be scaled
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
    // Bytes that begin like an image but are not one, and images of excessive size.
    if (String((error as { code?: unknown }).code).startsWith('ERR_IMAGE')) throw noThumbnail()
    throw error
  }
}

function brokenOff(): never {
  throw unavailable(translatable('The file storage is unavailable.'), 5)
}

/** WebP, unless the caller's Accept header excludes it (RFC 9110 section 12.5.1; weights are ignored). */
export function thumbnailFormat(accept: string | null, type: string): ThumbnailFormat {
  const takes = (format: string) =>
    accept === null ||
    accept.split(',').some((range) => ['*/*', 'image/*', `image/${format}`].includes(range.split(';')[0]!.trim().toLowerCase()))
  if (takes('webp')) return 'webp'
  return type === 'image/jpeg' || !takes('png') ? 'jpeg' : 'png'
}
