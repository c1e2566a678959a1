import { useEffect, useRef, useState } from 'react'
import type { ImportView } from '../../../../csv/import/log'
import { Refusal, refusalOf } from '../../api/api-error'
import { send } from '../../api/client'
import { sendUpload } from '../../api/upload'

/** First the browser sends the file, then the service writes its records. */
type Progress = { phase: 'reading'; bytes: number } | { phase: 'writing'; rows: number }

/** What the service says at the end: of an import into a table, or of a table that was made. */
export type Outcome = { inserted: number; updated?: number; dryRun: boolean; ignored?: string[]; table?: { id: string; name: string } }

export type Run =
  | { state: 'idle' }
  | { state: 'running'; progress: Progress | null; isTrial: boolean }
  | { state: 'done'; outcome: Outcome }
  | { state: 'failed'; error: unknown }

type Tell = (progress: Progress) => void

const askEveryMs = 300
/** The service may be started again meanwhile. */
const longestSilenceMs = 30_000

/** Sends a file and follows what becomes of it. Whoever cancels leaves nothing behind, unless the import was done already. */
export function useRun() {
  const [run, setRun] = useState<Run>({ state: 'idle' })
  const abort = useRef<AbortController>(null)
  // Who leaves the page has broken it off.
  useEffect(() => () => abort.current?.abort(), [])
  const start = async (path: string, body: () => Blob | FormData, isTrial: boolean): Promise<Outcome | null> => {
    abort.current = new AbortController()
    const { signal } = abort.current
    const tell: Tell = (progress) => setRun({ state: 'running', progress, isTrial })
    setRun({ state: 'running', progress: null, isTrial })
    try {
      const outcome = await importFile(path, body, signal, tell)
      setRun(outcome ? { state: 'done', outcome } : { state: 'idle' })
      return outcome
    } catch (error) {
      setRun(signal.aborted ? { state: 'idle' } : { state: 'failed', error })
      return null
    }
  }
  return { run, start, cancel: () => abort.current?.abort(), reset: () => setRun({ state: 'idle' }) }
}

/** @returns null when it was cancelled @throws Refusal, TypeError when the service cannot be reached, AbortError while the file is sent */
async function importFile(path: string, body: () => Blob | FormData, signal: AbortSignal, tell: Tell): Promise<Outcome | null> {
  const headers = { prefer: 'respond-async', ...(body() instanceof FormData ? {} : { 'content-type': 'text/csv' }) }
  const response = await sendUpload(path, { headers, body, signal }, (bytes) => tell({ phase: 'reading', bytes }))
  if (!response.ok) throw await refusalOf(response)
  return response.status === 202 ? follow(((await response.json()) as ImportView).id, signal, tell) : response.json()
}

/** Asks until it has ended. */
async function follow(id: string, signal: AbortSignal, tell: Tell): Promise<Outcome | null> {
  const path = `/api/v1/imports/${id}`
  let heardAt = performance.now()
  // Also when the page is left, so it is sent whatever becomes of the page.
  const cancel = () => void send(path, { method: 'DELETE', keepalive: true }).catch(() => {})
  signal.addEventListener('abort', cancel)
  if (signal.aborted) cancel()
  try {
    for (;;) {
      const view = await stateOf(path)
      if (view) {
        heardAt = performance.now()
        if (view.state === 'complete') return view.result as Outcome
        if (view.state === 'failed') throw new Refusal(statusOf(view), view.problem as Refusal['body'], 0)
        if (view.state === 'cancelled') return null
        tell({ phase: 'writing', rows: view.rows })
      } else if (performance.now() - heardAt > longestSilenceMs) throw new TypeError('The connection was lost.')
      await new Promise((done) => setTimeout(done, askEveryMs))
    }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

const statusOf = ({ problem }: ImportView) => Number((problem as { status?: number } | null)?.status ?? 500)

/** Null when there is no answer at this moment. @throws Refusal what is no matter of time */
async function stateOf(path: string): Promise<ImportView | null> {
  const response = await send(path).catch(() => null)
  if (!response || response.status >= 500) return null
  if (!response.ok) throw await refusalOf(response)
  return response.json()
}
