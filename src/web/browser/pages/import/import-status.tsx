import { Button } from '@mantine/core'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { ApiError, toErrorMessage } from '../../api/api-error'
import { undoneText } from '../../fields/history/undo-dialog'
import { useStrings } from '../../language'
import type { UndoResult } from '../../records/list/change-queries'
import type { Strings } from '../../strings/en'
import { formatBytes } from '../../values/format'
import type { SampleEncoding } from './csv-sample'
import type { ImportOutcome } from './import-upload'
import type { TypedCorrection } from './problems/corrections'
import { AddChoices } from './problems/missing-choices'
import { ProblemTable } from './problems/problem-table'
import { UndoImport } from './undo-import'
import type { ImportState, ImportTolerance } from './use-import'

type ImportStatusProps = {
  run: ImportState
  /** The table to import into; absent for a new table. */
  table?: TableView
  file: File
  encoding: SampleEncoding
  corrections: readonly TypedCorrection[]
  correct: (correction: TypedCorrection) => void
  cancel: () => void
  retry: (run: Retry) => void
}
type Retry = { isTrial: boolean; tolerance: ImportTolerance }

/** The progress of an import, its errors line by line, or its result. */
export function ImportStatus({ run, ...props }: ImportStatusProps) {
  if (run.state === 'running') return <ImportProgress run={run} file={props.file} cancel={props.cancel} />
  if (run.state !== 'idle') return <ImportResult run={run} {...props} />
  return (
    <>
      <p role="status" />
      <ProblemTable {...props} problems={[]} checked={[]} />
    </>
  )
}

type EndedRun = ImportState & { state: 'done' | 'failed' }

/** The table of errors keeps its position and the focus from one check to the next. */
function ImportResult({ run, table, file, encoding, corrections, correct, retry }: ImportStatusProps & { run: EndedRun }) {
  const { history } = useStrings()
  const [undone, setUndone] = useState<UndoResult | null>(null)
  if (undone) return <p role="status">{undoneText(undone, history)}</p>
  const isImported = run.state === 'done' && !run.isTrial
  return (
    <>
      {run.state === 'done' ? <ImportDone outcome={run.outcome} /> : <ImportErrors error={run.error} />}
      <ProblemTable
        problems={run.state === 'done' ? (run.outcome.problems ?? []) : lineProblems(run.error)}
        {...{ file, encoding, corrections }}
        checked={run.corrections}
        correct={isImported ? undefined : correct}
      />
      {run.state === 'failed' ? <Remedies run={run} table={table} retry={retry} /> : null}
      {isImported && table ? <UndoImport table={table} outcome={run.outcome} onUndone={setUndone} /> : null}
    </>
  )
}

const lineProblems = (error: unknown) =>
  error instanceof ApiError ? (error.body.errors ?? []).filter(({ line }) => line !== undefined) : []

function ImportProgress({
  run: { progress, isTrial },
  file,
  cancel,
}: {
  run: ImportState & { state: 'running' }
  file: File
  cancel: () => void
}) {
  const { transfer } = useStrings()
  // The progress includes the form's fields and boundaries.
  const sentBytes = progress?.phase === 'reading' ? Math.min(progress.bytes, file.size) : 0
  const isSent = progress !== null && progress.phase !== 'reading'
  const text = () => {
    if (progress?.phase === 'queued') return transfer.queued
    if (progress?.phase === 'writing') return (isTrial ? transfer.checking : transfer.writing)(progress.rows)
    return transfer.reading(formatBytes(sentBytes), formatBytes(file.size))
  }
  return (
    <div className="progress">
      <progress aria-label={transfer.progress} max={file.size} value={isSent ? undefined : sentBytes} />
      <p className="facts" role="status">
        {text()}
      </p>
      <Button variant="default" size="xs" onClick={cancel}>
        {transfer.cancel}
      </Button>
    </div>
  )
}

/** Describes the effects of an import other than the records of the file. */
export const importNotes = (outcome: ImportOutcome, transfer: Strings['transfer']): string[] => {
  const { dryRun, ignored = [], emptied, skipped, createdLinks = [] } = outcome
  return [
    ...createdLinks.map(({ table, count }) => (dryRun ? transfer.wouldCreateLinked : transfer.createdLinked)(count, table)),
    ...(ignored.length ? [transfer.skippedColumns(ignored.join(', '))] : []),
    ...(emptied ? [transfer.emptied(emptied)] : []),
    ...(skipped ? [transfer.skippedLines(skipped)] : []),
  ]
}

function ImportDone({ outcome }: { outcome: ImportOutcome }) {
  const { transfer } = useStrings()
  const { inserted, updated = 0, dryRun } = outcome
  return (
    <p role="status">
      <span className="badge">{dryRun ? transfer.validState : transfer.importedState}</span>{' '}
      {[(dryRun ? transfer.wouldImport : transfer.imported)(inserted, updated), ...importNotes(outcome, transfer)].join(' ')}
    </p>
  )
}

function ImportErrors({ error }: { error: unknown }) {
  const strings = useStrings()
  const { transfer } = strings
  const { length } = lineProblems(error)
  const total = countIn(error, 'errorCount') || length
  return (
    <p role="alert" className="alert">
      {length ? `${transfer.problems(total)} ${total > length ? transfer.firstProblems(length) : ''}` : toErrorMessage(error, strings)}
    </p>
  )
}

const countIn = (error: unknown, name: string): number => Number((error instanceof ApiError && error.body.details?.[name]) || 0)

type RemediesProps = Pick<ImportStatusProps, 'table' | 'retry'> & { run: EndedRun & { state: 'failed' } }

/** Offers to resolve all errors of a kind at once. */
function Remedies({ run: { error, isTrial, tolerance }, table, retry }: RemediesProps) {
  const { transfer } = useStrings()
  if (!(error instanceof ApiError) || lineProblems(error).length === 0) return null
  const linked = countIn(error, 'linkCount')
  const cells = tolerance.invalidCells ? 0 : countIn(error, 'cellCount')
  const lines = tolerance.invalidLines ? 0 : countIn(error, 'lineCount')
  const offers: [string, ImportTolerance][] = [
    ...(linked ? [[transfer.createLinked(linked), { createLinked: 'true' }] as [string, ImportTolerance]] : []),
    ...(cells ? [[transfer.leaveEmpty(cells), { invalidCells: 'empty' }] as [string, ImportTolerance]] : []),
    ...(lines ? [[transfer.skipLines(lines), { invalidLines: 'skip' }] as [string, ImportTolerance]] : []),
  ]
  return (
    <>
      {error.body.hint ? <p>{error.body.hint}</p> : null}
      {table ? <AddChoices table={table} error={error} retry={() => retry({ isTrial, tolerance })} /> : null}
      <div className="row-actions">
        {offers.map(([label, more]) => (
          <Button key={label} variant="default" size="xs" onClick={() => retry({ isTrial, tolerance: { ...tolerance, ...more } })}>
            {label}
          </Button>
        ))}
      </div>
    </>
  )
}
