import { Failure, invalidRequest } from '../errors'
import { bodyReaderOf } from '../http/request/body-stream'
import { multipartFiles } from '../http/request/multipart'
import { type Message, translatable } from '../messages/message'
import type { Config } from '../ops/settings/config'
import { withTimeout } from '../timeout'
import type { Incoming } from './model'

/** How much longer a form may be than its files. */
const formBytes = 2 ** 20

const closing = { connection: 'close' }

const wrongType = (message: Message, hint: Message) => new Failure('unsupported_media_type', message, { hint, headers: closing })

/**
 * Yields the files of a request as they arrive: those of a form, or the body itself as a file called `name`.
 * @throws Failure unsupported_media_type, invalid_request, payload_too_large
 */
export function incomingFiles(request: Request, name: string | undefined, config: Config): AsyncIterable<Incoming> {
  const contentType = request.headers.get('content-type') ?? ''
  if (request.headers.has('content-encoding')) {
    throw wrongType(
      translatable('Files are stored as they are sent, and this one is compressed.'),
      translatable('Send it without Content-Encoding.'),
    )
  }
  if (/^multipart\/form-data\b/i.test(contentType)) {
    requireContentLength(request, config.maxUploadRequestBytes, formBytes)
    return formFiles(contentType, bytesOf(request, config.transferIdleMs), config.maxCellFiles)
  }
  if (/^multipart\//i.test(contentType))
    throw wrongType(translatable('This multipart type is not that of a form.'), translatable('Send multipart/form-data.'))
  if (!name)
    throw invalidRequest(translatable('The file has no name.'), translatable('Send it as multipart/form-data, or name it: ?name=photo.jpg'))
  requireContentLength(request, config.maxUploadBytes, 0)
  return one({ name, bytes: released(bytesOf(request, config.transferIdleMs)) })
}

/** A body whose declared length exceeds the limit is not read. */
function requireContentLength(request: Request, limitBytes: number, more: number) {
  if (Number(request.headers.get('content-length') ?? 0) <= limitBytes + more) return
  throw new Failure('payload_too_large', translatable('An upload holds at most {limitBytes} bytes.', { limitBytes }), {
    details: { limitBytes },
    headers: closing,
  })
}

async function* one(file: Incoming) {
  yield file
}

/** For a field without a chosen file, a browser sends an empty part without a name. */
async function* formFiles(contentType: string, body: AsyncIterable<Uint8Array>, mostFiles: number): AsyncGenerator<Incoming> {
  for await (const { fileName, bytes } of multipartFiles(contentType, body, { mostFiles })) {
    const source = bytes[Symbol.asyncIterator]()
    const first = await source.next()
    if (first.done && fileName === '') continue
    yield { name: fileName, bytes: continued(first, source) }
  }
}

async function* continued(first: IteratorResult<Uint8Array>, source: AsyncIterator<Uint8Array>) {
  for (let next = first; !next.done; next = await source.next()) yield next.value
}

/**
 * Releases the memory of each chunk right after it was read: the garbage collector would let many chunks of a megabyte
 * pile up first.
 */
async function* released(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    if (chunk.byteLength === chunk.buffer.byteLength) (chunk.buffer as ArrayBuffer).transfer(0)
  }
}

/** Yields the body as it arrives. A sender may pause for at most this time. @throws Failure invalid_request */
export async function* bytesOf(request: Request, longestPauseMs: number): AsyncGenerator<Uint8Array> {
  const reader = bodyReaderOf(request)
  if (!reader) return
  try {
    for (;;) {
      const value = await withTimeout(reader.next().catch(brokenOff), longestPauseMs, stalled)
      if (!value) return
      yield value
    }
  } finally {
    reader.leave()
  }
}

function stalled(): never {
  throw new Failure('invalid_request', translatable('The body stopped arriving.'), { headers: closing })
}

/** The error that Bun reports for a broken connection does not matter: the sender is gone and receives no response. */
function brokenOff(error: unknown): never {
  throw error instanceof Failure ? error : invalidRequest(translatable('The body ended before it was complete.'))
}
