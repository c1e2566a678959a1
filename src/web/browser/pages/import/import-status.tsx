import { Button } from '@mantine/core'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { ApiError, toErrorMessage } from '../../api/api-error'
import { undoneText } from '../../fields/history/undo-dialog'
import { useStrings } from '../../language'
import type { UndoResult } from '../../records/list/change-queries'
import { formatBytes } from '../../values/format'
import type { SampleEncoding } from './csv-sample'
import { AddChoices } from './missing-choices'
import { ProblemTable } from './problem-table'
import { UndoImport } from './undo-import'
import type { ImportRun, ImportState } from './use-import'

type ImportStatusProps = {
  run: ImportState
  /** The table that the file is imported into; absent for a new one. */
  table?: TableView
  file: File
  encoding: SampleEncoding
  cancel: () => void
  retry: (run: ImportRun) => void
}

/** The progress of an import, its errors line by line, or its result. */
export function ImportStatus({ run, table, file, encoding, cancel, retry }: ImportStatusProps) {
  if (run.state === 'running') return <ImportProgress run={run} file={file} cancel={cancel} />
  if (run.state === 'failed') return <ImportErrors run={run} table={table} file={file} encoding={encoding} retry={retry} />
  return run.state === 'done' ? <ImportDone run={run} table={table} file={file} encoding={encoding} /> : <p role="status" />
}

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

type ImportDoneProps = Pick<ImportStatusProps, 'table' | 'file' | 'encoding'> & { run: ImportState & { state: 'done' } }

function ImportDone({ run: { outcome }, table, file, encoding }: ImportDoneProps) {
  const { transfer, history } = useStrings()
  const [undone, setUndone] = useState<UndoResult | null>(null)
  const { inserted, updated = 0, dryRun, ignored = [], emptied = 0, skipped = 0, problems = [], createdLinks = [] } = outcome
  if (undone) return <p role="status">{undoneText(undone, history)}</p>
  return (
    <>
      <p role="status">
        <span className="badge">{dryRun ? transfer.validState : transfer.importedState}</span>{' '}
        {(dryRun ? transfer.wouldImport : transfer.imported)(inserted, updated)}
        {createdLinks
          .map(({ table, count }) => ` ${(dryRun ? transfer.wouldCreateLinked : transfer.createdLinked)(count, table)}`)
          .join('')}
        {ignored.length ? ` ${transfer.skippedColumns(ignored.join(', '))}` : ''}
        {emptied ? ` ${transfer.emptied(emptied)}` : ''}
        {skipped ? ` ${transfer.skippedLines(skipped)}` : ''}
      </p>
      {problems.length ? <ProblemTable problems={problems} file={file} encoding={encoding} /> : null}
      {table && !dryRun ? <UndoImport table={table} outcome={outcome} onUndone={setUndone} /> : null}
    </>
  )
}

type ImportErrorsProps = Omit<ImportStatusProps, 'run' | 'cancel'> & { run: ImportState & { state: 'failed' } }

function ImportErrors({ run: { error, isTrial, tolerance }, table, file, encoding, retry }: ImportErrorsProps) {
  const strings = useStrings()
  const { transfer } = strings
  const problems = error instanceof ApiError ? (error.body.errors ?? []) : []
  if (!problems.some(({ line }) => line !== undefined))
    return (
      <p role="alert" className="alert">
        {toErrorMessage(error, strings)}
      </p>
    )
  const details = (error as ApiError).body.details ?? {}
  const count = (name: string) => Number(details[name] ?? 0)
  const total = count('errorCount') || problems.length
  const linked = count('linkCount')
  const [cells, lines] = [tolerance.invalidCells ? 0 : count('cellCount'), tolerance.invalidLines ? 0 : count('lineCount')]
  return (
    <>
      <p role="alert" className="alert">
        {transfer.problems(total)} {total > problems.length ? transfer.firstProblems(problems.length) : ''}
      </p>
      <ProblemTable problems={problems} file={file} encoding={encoding} />
      {(error as ApiError).body.hint ? <p>{(error as ApiError).body.hint}</p> : null}
      {table ? <AddChoices table={table} error={error as ApiError} retry={() => retry({ isTrial, tolerance })} /> : null}
      <div className="row-actions">
        {linked ? (
          <Button variant="default" size="xs" onClick={() => retry({ isTrial, tolerance: { ...tolerance, createLinked: 'true' } })}>
            {transfer.createLinked(linked)}
          </Button>
        ) : null}
        {cells ? (
          <Button variant="default" size="xs" onClick={() => retry({ isTrial, tolerance: { ...tolerance, invalidCells: 'empty' } })}>
            {transfer.leaveEmpty(cells)}
          </Button>
        ) : null}
        {lines ? (
          <Button variant="default" size="xs" onClick={() => retry({ isTrial, tolerance: { ...tolerance, invalidLines: 'skip' } })}>
            {transfer.skipLines(lines)}
          </Button>
        ) : null}
      </div>
    </>
  )
}
