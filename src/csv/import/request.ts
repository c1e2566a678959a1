import { Failure, invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import { type Encoding, encodings } from '../encoding'
import { isForm, readForm } from './multipart'

/** The file of a request, sent as a form or as the body itself. `fields` are those of the form. */
export type UploadedFile = { source: AsyncIterable<Uint8Array>; fields: Map<string, string>; encoding?: Encoding; hasHeader?: boolean }

const plainTypes =
  /^(text\/csv|text\/tab-separated-values|application\/csv|application\/octet-stream|application\/vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet)$/i

/** @throws Failure unsupported_media_type, payload_too_large, invalid_request for a malformed form */
export async function readUploadedFile(request: Request, chunks: AsyncIterable<Uint8Array>): Promise<UploadedFile> {
  const contentType = request.headers.get('content-type') ?? ''
  if (isForm(contentType)) {
    const { file, fields } = await readForm(contentType, chunks)
    return { source: file, fields }
  }
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  if (!plainTypes.test(type)) {
    throw new Failure('unsupported_media_type', translatable('The body must be a CSV file.'), {
      hint: translatable('Send the header Content-Type: text/csv, or a form (multipart/form-data) with the file.'),
    })
  }
  const declared = new Map(parameters.map((part) => part.toLowerCase().replaceAll('"', '').split('=') as [string, string]))
  // Many clients declare UTF-8 for every file, so the declaration counts only if it names another encoding.
  const encoding = encodings.find((known) => known === declared.get('charset') && known !== 'utf-8')
  return {
    source: chunks,
    fields: new Map(),
    encoding,
    hasHeader: declared.get('header') === 'absent' ? false : undefined,
  }
}

/** The time limit of an import. */
export type RequestTimeout = {
  /**
   * Aborted, with a Failure as its reason, when the client leaves, the time is up, or another request ends the import.
   */
  signal: AbortSignal
  abort: (reason: Failure) => void
  /** From now on the import continues when the client leaves. */
  outliveClient: () => void
  /** Stops the clock while the import waits for its turn. */
  pause: () => void
  /** Starts the clock again with the whole time. */
  restart: () => void
  end: () => void
}

export function requestTimeout(request: Request, limitMs: number): RequestTimeout {
  const controller = new AbortController()
  const abort = (reason: Failure) => controller.abort(reason)
  const leave = () => abort(invalidRequest(translatable('The client closed the connection.')))
  const start = () => setTimeout(() => abort(tooSlow()), limitMs)
  let timer = start()
  const pause = () => clearTimeout(timer)
  request.signal.addEventListener('abort', leave)
  const outliveClient = () => request.signal.removeEventListener('abort', leave)
  return {
    signal: controller.signal,
    abort,
    outliveClient,
    pause,
    restart: () => {
      pause()
      timer = start()
    },
    end: () => {
      pause()
      outliveClient()
    },
  }
}

/** RFC 7240 section 4.1. */
export const prefersAsync = (request: Request): boolean => /(^|[,\s])respond-async\b/i.test(request.headers.get('prefer') ?? '')

const tooSlow = () =>
  new Failure('query_timeout', translatable('The import took longer than ROWHOUSE_TRANSFER_TIMEOUT allows; nothing was imported.'), {
    hint: translatable('Send the file in parts.'),
    headers: { 'retry-after': '5' },
  })
