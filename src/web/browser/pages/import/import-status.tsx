import { Button } from '@mantine/core'
import { ApiError, toErrorMessage } from '../../api/api-error'
import { useStrings } from '../../language'
import { formatBytes } from '../../values/format'
import type { SampleEncoding } from './csv-sample'
import { ProblemTable } from './problem-table'
import type { ImportRun, ImportState } from './use-import'

type ImportStatusProps = { run: ImportState; file: File; encoding: SampleEncoding; cancel: () => void; retry: (run: ImportRun) => void }

/** The progress of an import, its errors line by line, or its result. */
export function ImportStatus({ run, file, encoding, cancel, retry }: ImportStatusProps) {
  if (run.state === 'running') return <ImportProgress run={run} file={file} cancel={cancel} />
  if (run.state === 'failed') return <ImportErrors run={run} file={file} encoding={encoding} retry={retry} />
  return run.state === 'done' ? <ImportDone run={run} file={file} encoding={encoding} /> : <p role="status" />
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

function ImportDone({ run: { outcome }, file, encoding }: { run: ImportState & { state: 'done' }; file: File; encoding: SampleEncoding }) {
  const { transfer } = useStrings()
  const { inserted, updated = 0, dryRun, ignored = [], emptied = 0, skipped = 0, problems = [], createdLinks = [] } = outcome
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
    </>
  )
}

type ImportErrorsProps = {
  run: ImportState & { state: 'failed' }
  file: File
  encoding: SampleEncoding
  retry: (run: ImportRun) => void
}

function ImportErrors({ run: { error, isTrial, tolerance }, file, encoding, retry }: ImportErrorsProps) {
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
