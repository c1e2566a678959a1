import { createSemaphore } from '../db/pool/semaphore'
import { createSharedWork } from '../db/pool/shared-work'
import type { Deps } from '../deps'
import { notFound, unavailable } from '../errors'
import { translatable } from '../messages/message'
import { isPdf, isPicture } from './file-type'
import type { FileRow, PictureRequest, ThumbnailSize } from './model'
import { createPdfPages } from './pdf-pages'
import type { Storage } from './storage/storage'
import { type ThumbnailFormat, thumbnailName } from './thumbnail-names'

/** The maximum width and height in pixels. */
const boxes: Record<ThumbnailSize, number> = { small: 320, large: 1600 }

/** An image of this many pixels takes 200 MB while it is scaled down; cameras produce smaller ones. */
const maxPixels = 50_000_000
const maxPictureBytes = 64 * 2 ** 20

/** For each page, the whole PDF is sent to the process that draws it, which blocks this process. */
const maxPdfBytes = 16 * 2 ** 20

/** The limit of this process: each thumbnail takes memory and a core. */
const maxConcurrent = 2

/** Long enough for all thumbnails of one grid page. */
const thumbnailWaitMs = 15_000

const noThumbnail = () =>
  notFound(
    translatable('This file has no thumbnail.'),
    translatable('Thumbnails are available for JPEG, PNG, GIF, WebP and BMP up to 64 MB, and for PDF up to 16 MB.'),
  )

/** Capacity is shared fairly among callers. `signal` aborts when the caller disconnects. */
type Requester = { caller: string; signal: AbortSignal }

type ThumbnailRequest = PictureRequest & { format: ThumbnailFormat }

/** `pageCount` is that of a PDF whose page was just drawn. */
type Thumbnail = { bytes: Blob | ReadableStream<Uint8Array>; pageCount?: number }

/**
 * Makes thumbnails, a few at a time, shared fairly among callers. Each is made once, however many callers request it at
 * the same time.
 */
export type Thumbnails = (requester: Requester, file: FileRow, request: ThumbnailRequest) => Promise<Thumbnail>

export function createThumbnails({ storage, renderer }: Pick<Deps, 'storage' | 'renderer'>): Thumbnails {
  const making = createSharedWork<Thumbnail>()
  const pdfPages = createPdfPages({ renderer })
  const gate = createSemaphore(maxConcurrent, thumbnailWaitMs, translatable('Too many thumbnails are being made right now.'))

  const shrinkInTurn = async ({ caller, signal }: Requester, file: FileRow, { size, format }: ThumbnailRequest) => {
    const leave = await gate.acquire(caller, signal)
    try {
      return { bytes: await shrink(storage, file, boxes[size], format) }
    } finally {
      leave()
    }
  }

  const drawPage = ({ caller, signal }: Requester, file: FileRow, { size, page, format }: ThumbnailRequest) => {
    const job = { fileId: file.id, read: () => readOriginal(storage, file), page, box: boxes[size], pictureFormat: format }
    return pdfPages(caller, job, signal)
  }

  const make = async (requester: Requester, file: FileRow, request: ThumbnailRequest, key: string): Promise<Thumbnail> => {
    // It may have been stored for another caller in the meantime.
    const stored = isStored(file, request) ? await storage.read(key) : null
    if (stored) return { bytes: await new Response(stored).blob().catch(brokenOff) }
    const made: { bytes: Uint8Array; pageCount?: number } = isPdf(file.type)
      ? await drawPage(requester, file, request)
      : await shrinkInTurn(requester, file, request)
    // Callers can see the image even if the disk is full; the storage has notified the operator.
    if (isStored(file, request)) await keep(storage, key, made.bytes).catch(() => {})
    return { ...made, bytes: new Blob([made.bytes as Uint8Array<ArrayBuffer>]) }
  }

  return async ({ caller, signal }, file, request) => {
    if (!(isPicture(file.type) || isPdf(file.type)) || file.size > maxPictureBytes) throw noThumbnail()
    if (isPdf(file.type) && file.size > maxPdfBytes) throw notFound(translatable('Pages are drawn only of PDFs up to 16 MB.'))
    if (request.page > 1 && !isPdf(file.type)) throw noThumbnail()
    const name = thumbnailName(file.id, request.size, request.format)
    const key = request.page > 1 ? `${name} ${request.page}` : name
    const stored = isStored(file, request) && !making.isRunning(key) ? await storage.read(name) : null
    if (stored) return { bytes: stored }
    return making.join(key, signal, (gone) => make({ caller, signal: gone }, file, request, key))
  }
}

/**
 * Only the first page of a PDF is stored, in the size of tiles: thumbnails are deleted with their file by a fixed list
 * of names, and a PDF may have any number of pages.
 */
const isStored = ({ type }: FileRow, { size, page }: PictureRequest) => !isPdf(type) || (page === 1 && size === 'small')

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
async function shrink(storage: Storage, file: FileRow, box: number, format: ThumbnailFormat): Promise<Uint8Array> {
  const source = await readOriginal(storage, file)
  try {
    const image = new Bun.Image(source, { maxPixels }).resize(box, box, { fit: 'inside', withoutEnlargement: true })
    return await image[format]().bytes()
  } catch (error) {
    // Thrown for bytes that begin like an image but are not one, and for images that are too large.
    if (String((error as { code?: unknown }).code).startsWith('ERR_IMAGE')) throw noThumbnail()
    throw error
  }
}

/** @throws Failure not_found, unavailable */
async function readOriginal(storage: Storage, file: FileRow): Promise<Uint8Array> {
  const original = await storage.read(file.id, { size: file.size })
  if (!original) throw noThumbnail()
  return new Response(original).bytes().catch(brokenOff)
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
