import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ApiError, toErrorMessage } from '../../api/api-error'
import { useStrings } from '../../language'
import { formatBytes } from '../../values/format'
import type { SampleEncoding } from './csv-sample'
import { readLines } from './file-lines'
import type { ImportOutcome, ImportState } from './use-import'

type ImportStatusProps = { run: ImportState; file: File; encoding: SampleEncoding; cancel: () => void }

/** The progress of an import, its errors line by line, or its result. */
export function ImportStatus({ run, file, encoding, cancel }: ImportStatusProps) {
  if (run.state === 'running') return <ImportProgress run={run} file={file} cancel={cancel} />
  if (run.state === 'failed') return <ImportErrors error={run.error} file={file} encoding={encoding} />
  return <p role="status">{run.state === 'done' ? <ImportDone outcome={run.outcome} /> : null}</p>
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

function ImportDone({ outcome: { inserted, updated = 0, dryRun, ignored = [] } }: { outcome: ImportOutcome }) {
  const { transfer } = useStrings()
  return (
    <>
      <span className="badge">{dryRun ? transfer.validState : transfer.importedState}</span>{' '}
      {(dryRun ? transfer.wouldImport : transfer.imported)(inserted, updated)}
      {ignored.length ? ` ${transfer.skippedColumns(ignored.join(', '))}` : ''}
    </>
  )
}

function ImportErrors({ error, file, encoding }: { error: unknown; file: File; encoding: SampleEncoding }) {
  const strings = useStrings()
  const { transfer } = strings
  const problems = error instanceof ApiError ? (error.body.errors ?? []) : []
  const numbers = problems.flatMap(({ line }) => line ?? [])
  const { data: lines } = useQuery({
    queryKey: ['lines', file.name, file.size, file.lastModified, encoding, numbers],
    enabled: numbers.length > 0,
    queryFn: () => readLines(file, encoding, numbers),
  })
  if (numbers.length === 0)
    return (
      <p role="alert" className="alert">
        {toErrorMessage(error, strings)}
      </p>
    )
  const total = Number((error as ApiError).body.details?.errorCount ?? problems.length)
  return (
    <>
      <p role="alert" className="alert">
        {transfer.problems(total)} {total > problems.length ? transfer.firstProblems(problems.length) : ''}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reachable by keyboard */}
      <section className="table-frame problems" tabIndex={0} aria-label={transfer.problemList}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{transfer.line}</th>
              <th scope="col">{transfer.column}</th>
              <th scope="col">{transfer.problem}</th>
              <th scope="col">{transfer.content}</th>
            </tr>
          </thead>
          <tbody>
            {problems.map(({ line = 0, column, message }) => (
              <tr key={`${line} ${column} ${message}`}>
                <th scope="row">{line}</th>
                <td>{column}</td>
                <td>{message}</td>
                <td className="cell mono soft">{lines?.get(line)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}
