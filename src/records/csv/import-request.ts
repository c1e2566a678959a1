import { Failure, invalidRequest } from '../../errors'
import { type Encoding, encodings } from './encoding'
import { boundaryOf, readForm } from './multipart'
import { readUpload, type UploadLimits } from './upload'

/** The file of a request, whichever way it was sent. `fields` are those of a form. */
export type SentFile = { source: AsyncIterable<Uint8Array>; fields: Map<string, string>; encoding?: Encoding; hasHeader?: boolean }

const plainTypes = /^(text\/csv|text\/tab-separated-values|application\/csv|application\/octet-stream)$/i

/** @throws Failure unsupported_media_type, payload_too_large, invalid_request for a form that cannot be read */
export async function sentFile(request: Request, limits: UploadLimits): Promise<SentFile> {
  const contentType = request.headers.get('content-type') ?? ''
  const boundary = boundaryOf(contentType)
  if (boundary) {
    const { file, fields } = await readForm(readUpload(request, limits), boundary)
    return { source: file, fields }
  }
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  if (!plainTypes.test(type)) {
    throw new Failure('unsupported_media_type', 'The body must be a CSV file.', {
      hint: 'Send the header Content-Type: text/csv, or a form (multipart/form-data) with the file.',
    })
  }
  const said = new Map(parameters.map((part) => part.toLowerCase().replaceAll('"', '').split('=') as [string, string]))
  // Many clients say UTF-8 of whatever they send: only another encoding is a statement.
  const encoding = encodings.find((known) => known === said.get('charset') && known !== 'utf-8')
  return {
    source: readUpload(request, limits),
    fields: new Map(),
    encoding,
    hasHeader: said.get('header') === 'absent' ? false : undefined,
  }
}

/**
 * Aborted, with a Failure as its reason, when the client leaves or the time is up.
 * @returns also how to stop the clock
 */
export function patience(request: Request, limitMs: number): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController()
  const leave = () => controller.abort(invalidRequest('The client has left.'))
  const timer = setTimeout(() => controller.abort(tooSlow()), limitMs)
  request.signal.addEventListener('abort', leave)
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', leave)
    },
  }
}

const tooSlow = () =>
  new Failure('query_timeout', 'The import took longer than ROWHOUSE_TRANSFER_TIMEOUT allows; nothing was imported.', {
    hint: 'Send the file in parts.',
    headers: { 'retry-after': '5' },
  })
