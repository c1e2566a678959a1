import { useEffect, useRef, useState } from 'react'
import { useAttemptKey } from '../../records/pages/use-attempt-key'
import { type ImportOutcome, type ImportProgress, uploadImport } from './import-upload'
import { importBody, type TypedCorrection, withCorrection } from './problems/corrections'

/** Whether an import may leave out unreadable cells and failing lines, and create missing linked records. */
export type ImportTolerance = { invalidCells?: 'empty'; invalidLines?: 'skip'; createLinked?: 'true' }

/**
 * How an import was started, so that it can be started again. A recheck is a trial that leaves the last result in place
 * until it has its own.
 */
export type ImportRun = { isTrial: boolean; tolerance: ImportTolerance; corrections: readonly TypedCorrection[]; isRecheck?: boolean }

export type ImportState =
  | { state: 'idle' }
  | ({ state: 'running'; progress: ImportProgress | null } & ImportRun)
  | ({ state: 'done'; outcome: ImportOutcome } & ImportRun)
  | ({ state: 'failed'; error: unknown } & ImportRun)

type ImportRequest = { path: string; query: Record<string, string>; fields?: Record<string, string> }

type UsedImport = {
  file: File
  /** The parameters for dates, numbers and times; null until `request` uses them. */
  notation: string | null
  /**
   * Called for each run, to include the user's current choices. A trial is a dry run; the query may specify its kind.
   */
  request: (isTrial: boolean) => ImportRequest
}

/**
 * Uploads imports with an idempotency key. An import that is repeated before the browser knows its result keeps the
 * key, so that it does not run twice. A later repetition is intended, and gets a new key. The service forgets the key
 * of a failed import.
 */
function useKeyedUpload(file: File): typeof uploadImport {
  const attemptKey = useAttemptKey()
  const ended = useRef(0)
  return async (path, body, signal, onProgress) => {
    const key = attemptKey(JSON.stringify([ended.current, path, file.name, file.lastModified, ...body()]))
    const outcome = await uploadImport(path, body, signal, onProgress, key)
    ended.current++
    return outcome
  }
}

/**
 * Uploads a file and polls the import. Cancelling rolls the import back, unless it has completed. Each correction of a
 * cell checks the file again, and so does a changed notation, which changes how cells are read.
 */
export function useImport({ file, notation, request }: UsedImport) {
  const [run, setRun] = useState<ImportState>({ state: 'idle' })
  /** The last result, until it no longer matches the lines or columns. Other changes of the form leave it valid. */
  const [latest, setLatest] = useState<ImportOutcome | null>(null)
  const [corrections, setCorrections] = useState<readonly TypedCorrection[]>([])
  const abort = useRef<AbortController>(null)
  const keyedUpload = useKeyedUpload(file)
  const tolerance = run.state === 'idle' ? {} : run.tolerance
  // Leaving the page cancels the import.
  useEffect(() => () => abort.current?.abort(), [])
  const start = async (started: ImportRun): Promise<ImportOutcome | null> => {
    const { path, query, fields } = request(started.isTrial)
    const search = new URLSearchParams({ ...(started.isTrial ? { dryRun: 'true' } : {}), ...query, ...started.tolerance })
    // The next recheck includes the corrections of this one.
    abort.current?.abort()
    abort.current = new AbortController()
    const { signal } = abort.current
    // A run that was replaced continues until it receives its result, which is not shown.
    const show = (state: ImportState) => {
      if (signal !== abort.current?.signal) return
      setRun(state)
      if (state.state === 'done') setLatest(state.outcome)
    }
    const report = (progress: ImportProgress | null) => started.isRecheck || show({ state: 'running', progress, ...started })
    report(null)
    try {
      const upload = started.isTrial ? uploadImport : keyedUpload
      const outcome = await upload(`${path}?${search}`, () => importBody(file, started.corrections, fields), signal, report)
      show(outcome ? { state: 'done', outcome, ...started } : { state: 'idle' })
      return outcome
    } catch (error) {
      show(signal.aborted ? { state: 'idle' } : { state: 'failed', error, ...started })
      return null
    }
  }
  const check = (changed: readonly TypedCorrection[]) => void start({ isTrial: true, tolerance, corrections: changed, isRecheck: true })
  const correct = (typed: TypedCorrection) => {
    const changed = withCorrection(corrections, typed)
    setCorrections(changed)
    check(changed)
  }
  /** For changes that make the last run obsolete. A running import is not affected. */
  const reset = () => {
    if (run.state === 'running' && !run.isTrial) return
    abort.current?.abort()
    abort.current = null
    setRun({ state: 'idle' })
  }
  /** For changes that affect which lines or columns are imported. */
  const forget = () => {
    reset()
    setLatest(null)
    setCorrections([])
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another notation
  useEffect(() => {
    if (notation === null) return
    setLatest(null)
    if (run.state === 'failed' || (run.state !== 'idle' && run.isTrial)) check(corrections)
    else if (run.state === 'done') forget()
  }, [notation])
  return {
    ...{ run, latest, corrections, correct, reset, forget },
    cancel: () => abort.current?.abort(),
    go: (isTrial: boolean, more: ImportTolerance) => start({ isTrial, tolerance: more, corrections }),
    /** An import uses the tolerance of its trial. */
    triedTolerance: run.state === 'done' && run.isTrial ? tolerance : {},
  }
}
