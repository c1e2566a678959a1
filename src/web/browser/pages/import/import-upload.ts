import type { ImportView } from '../../../../csv/import/log'
import { ApiError, toApiError } from '../../api/api-error'
import { send } from '../../api/client'
import { sendUpload } from '../../api/upload'
import type { FoundTable } from './plan'

/** The browser uploads the file; then the import may wait for others, before the service writes the records. */
export type ImportProgress = { phase: 'reading'; bytes: number } | { phase: 'queued' } | { phase: 'writing'; rows: number | null }

/** The result of an import into a table, or of a created table. */
export type ImportOutcome = Partial<FoundTable> & {
  inserted: number
  updated?: number
  dryRun: boolean
  ignored?: string[]
  /** With a tolerance: the numbers of emptied cells and skipped lines, and the first reasons. */
  emptied?: number
  skipped?: number
  problems?: ApiError['body']['errors']
  /** Records that were created in linked tables. */
  createdLinks?: { table: string; count: number }[]
  table?: { id: string; name: string }
  /** Identifies the import for an undo. */
  requestId: string | null
}

type OnProgress = (progress: ImportProgress) => void

const pollIntervalMs = 300
/** The maximum time without a response: the service may restart during an import. */
const maxSilenceMs = 30_000

/**
 * @param key the idempotency key; trials do not have one
 * @returns null when cancelled
 * @throws ApiError, TypeError when the service cannot be reached, AbortError during the upload
 */
export async function uploadImport(
  path: string,
  body: () => FormData,
  signal: AbortSignal,
  onProgress: OnProgress,
  key?: string,
): Promise<ImportOutcome | null> {
  const headers = { prefer: 'respond-async', ...(key ? { 'idempotency-key': key } : {}) }
  const response = await sendUpload(path, { headers, body, signal }, (bytes) => onProgress({ phase: 'reading', bytes }))
  if (!response.ok) throw await toApiError(response)
  const answer = await response.json()
  const outcome = response.status === 202 ? await pollImport((answer as ImportView).id, signal, onProgress) : answer
  // A replayed response belongs to an earlier attempt. The log has the records under the id of that attempt.
  return outcome && { ...outcome, requestId: response.headers.has('idempotent-replayed') ? null : response.headers.get('x-request-id') }
}

async function pollImport(id: string, signal: AbortSignal, onProgress: OnProgress): Promise<ImportOutcome | null> {
  const path = `/api/v1/imports/${id}`
  let heardAt = performance.now()
  // `keepalive` sends the request even when the page is left.
  const cancel = () => void send(path, { method: 'DELETE', keepalive: true }).catch(() => {})
  signal.addEventListener('abort', cancel)
  if (signal.aborted) cancel()
  try {
    for (;;) {
      const view = await fetchImport(path)
      if (view) {
        heardAt = performance.now()
        if (view.state === 'complete') return view.result as ImportOutcome
        if (view.state === 'failed') throw new ApiError(jobStatus(view), view.problem as ApiError['body'], 0)
        if (view.state === 'cancelled') return null
        onProgress(view.state === 'queued' ? { phase: 'queued' } : { phase: 'writing', rows: view.rows })
      } else if (performance.now() - heardAt > maxSilenceMs) throw new TypeError('The connection was lost.')
      await new Promise((done) => setTimeout(done, pollIntervalMs))
    }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

const jobStatus = ({ problem }: ImportView) => Number((problem as { status?: number } | null)?.status ?? 500)

/** Null while the service does not respond. @throws ApiError for permanent errors */
async function fetchImport(path: string): Promise<ImportView | null> {
  const response = await send(path).catch(() => null)
  if (!response || response.status >= 500) return null
  if (!response.ok) throw await toApiError(response)
  return response.json()
}
