import type { Actor } from '../auth/identity/actor'
import { forbidden } from '../errors'
import { infoOf } from '../http/request/request-info'
import { contentDisposition } from '../http/response/content-disposition'
import { translatable } from '../messages/message'
import type { Slice } from '../object-store/slice'
import { matchesNone } from '../records/store/etag'
import { extensionOf } from './file-name'
import { contentType, isShown } from './file-type'
import { readByteRange } from './range'

/**
 * The representation to send: a file or its thumbnail. The format of a thumbnail depends on the caller's Accept header
 * (`isNegotiated`), and it is too small for ranges. `size` is null if it is unknown beforehand.
 */
export type Representation = { name: string; type: string; size: number | null; tag: string; isNegotiated?: boolean }

/** Opens the bytes: all of them, or a slice. */
type Open = (slice?: Slice) => Promise<Blob | ReadableStream<Uint8Array>>

/** SEC-52: whatever a file contains, it must not act on the service's behalf in a browser. */
const contentSecurity = "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; sandbox"

/** Fetch destinations that never execute a file, as browsers declare them. Other programs send none. */
const harmlessDestinations = ['document', 'empty', 'image', 'audio', 'video', 'track', 'font', 'iframe', 'frame', 'object', 'embed']

/** SEC-104: `'self'` in the policies of our pages would also allow attachments. @throws Failure forbidden */
export function rejectRunning({ headers }: Request) {
  const destination = headers.get('sec-fetch-dest')
  if (destination === null || harmlessDestinations.includes(destination)) return
  throw forbidden(translatable("A file of a record cannot be used as a page's {destination}.", { destination }))
}

export type DownloadRequest = { request: Request; actor: Actor; isDownload: boolean }

/** RFC 9110: 304, 206, 416 or the whole file. The caller has been authorized before (SEC-59). */
export async function answerFile({ request, actor, isDownload }: DownloadRequest, file: Representation, open: Open): Promise<Response> {
  rejectRunning(request)
  const headers = fileHeaders(file, actor, isDownload)
  if (matchesNone(request.headers.get('if-none-match'), file.tag)) return new Response(null, { status: 304, headers })
  if (request.method === 'HEAD') {
    await lookAt(open)
    if (file.size !== null) infoOf(request).headLength = file.size
    return new Response(null, { headers })
  }
  const isWhole = file.size === null || file.isNegotiated || !isRangeWanted(request, headers.etag)
  const range = isWhole ? null : readByteRange(request.headers.get('range'), file.size!)
  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${file.size}` } })
  }
  // Bun would turn a body without bytes into a 204.
  if (range === null && file.size === 0) await lookAt(open)
  if (range === null) return new Response(file.size === 0 ? '' : await open(), { headers: withLength(headers, file.size) })
  const contentRange = `bytes ${range.start}-${range.end - 1}/${file.size}`
  return new Response(await open(range), { status: 206, headers: { ...headers, 'content-range': contentRange } })
}

/** Whether the bytes exist, for a response that does not send them. @throws like `open` */
async function lookAt(open: Open): Promise<void> {
  const bytes = await open()
  if (!(bytes instanceof Blob)) await bytes.cancel()
}

/** A range of a newer version would corrupt the caller's copy. Only a strong tag counts (RFC 9110 section 13.1.5). */
const isRangeWanted = (request: Request, etag: string) => [null, etag].includes(request.headers.get('if-range'))

const withLength = (headers: Record<string, string>, size: number | null) =>
  size === null ? headers : { ...headers, 'content-length': String(size) }

function fileHeaders(
  { name, type, tag, isNegotiated }: Representation,
  { via }: Actor,
  isDownload: boolean,
): Record<string, string> & { etag: string } {
  return {
    etag: `"${tag}"`,
    'content-type': contentType(type),
    'content-disposition': contentDisposition(isShown(type) && !isDownload ? 'inline' : 'attachment', name),
    'cache-control': 'private, no-cache',
    'content-security-policy': contentSecurity,
    // A link with a token is meant to be embedded in other sites' pages; responses to a cookie are for our own pages
    // only.
    'cross-origin-resource-policy': via === 'query' ? 'cross-origin' : 'same-origin',
    vary: isNegotiated ? 'Authorization, Cookie, Accept' : 'Authorization, Cookie',
    ...(isNegotiated ? {} : { 'accept-ranges': 'bytes' }),
  }
}

/** `photo.jpg` → `photo.webp` */
export function renamed(name: string, extension: string): string {
  const known = extensionOf(name)
  return `${known === '' ? name : name.slice(0, -known.length - 1)}.${extension}`
}
