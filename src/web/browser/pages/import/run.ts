import { useEffect, useRef, useState } from 'react'
import { send } from '../../api'
import { Refusal, refusalOf } from '../../refusal'

type Progress = { phase: 'reading' | 'writing'; bytes: number; rows: number }

/** What the service says at the end: of an import into a table, or of a table that was made. */
export type Outcome = { inserted: number; updated?: number; dryRun: boolean; ignored?: string[]; table?: { id: string; name: string } }

export type Run =
  | { state: 'idle' }
  | { state: 'running'; progress: Progress | null; isTrial: boolean }
  | { state: 'done'; outcome: Outcome }
  | { state: 'failed'; error: unknown }

type Event = { event: string } & Record<string, unknown>

/** Sends a file and follows what becomes of it. Whoever cancels leaves nothing behind: the service undoes what was begun. */
export function useRun() {
  const [run, setRun] = useState<Run>({ state: 'idle' })
  const abort = useRef<AbortController>(null)
  // Who leaves the page has broken it off.
  useEffect(() => () => abort.current?.abort(), [])
  const start = async (path: string, body: () => BodyInit, isTrial: boolean): Promise<Outcome | null> => {
    abort.current = new AbortController()
    const { signal } = abort.current
    setRun({ state: 'running', progress: null, isTrial })
    try {
      const headers = { accept: 'application/x-ndjson', ...(body() instanceof FormData ? {} : { 'content-type': 'text/csv' }) }
      const response = await send(path, { method: 'POST', headers, body: body(), signal })
      if (!response.ok) throw await refusalOf(response)
      const last = await follow(response, (progress) => setRun({ state: 'running', progress, isTrial }))
      setRun({ state: 'done', outcome: last })
      return last
    } catch (error) {
      setRun(signal.aborted ? { state: 'idle' } : { state: 'failed', error })
      return null
    }
  }
  return { run, start, cancel: () => abort.current?.abort(), reset: () => setRun({ state: 'idle' }) }
}

/** @throws Refusal what the last line says, TypeError when there is none */
async function follow(response: Response, tell: (progress: Progress) => void): Promise<Outcome> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const event = JSON.parse(line) as Event
      if (event.event === 'result') return event as unknown as Outcome
      if (event.event === 'problem') throw new Refusal(Number(event.status), event as Refusal['body'], 0)
      tell(event as unknown as Progress)
    }
  }
  throw new TypeError('The connection was lost.')
}
