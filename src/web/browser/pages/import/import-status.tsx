import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Refusal, wordsFor } from '../../api/api-error'
import { useStrings } from '../../language'
import { formatBytes } from '../../values/format'
import type { Encoding } from './csv-sample'
import { readLines } from './file-lines'
import type { Outcome, Run } from './use-import'

type Props = { run: Run; file: File; encoding: Encoding; cancel: () => void }

/** What becomes of the file: how far it is, what is wrong with it line by line, or how it has ended. */
export function RunState({ run, file, encoding, cancel }: Props) {
  if (run.state === 'running') return <Running run={run} file={file} cancel={cancel} />
  if (run.state === 'failed') return <Problems error={run.error} file={file} encoding={encoding} />
  return <p role="status">{run.state === 'done' ? <Ended outcome={run.outcome} /> : null}</p>
}

function Running({ run: { progress, isTrial }, file, cancel }: { run: Run & { state: 'running' }; file: File; cancel: () => void }) {
  const { transfer } = useStrings()
  const isWriting = progress?.phase === 'writing'
  // Fields and boundaries of a form are sent as well.
  const sentBytes = progress?.phase === 'reading' ? Math.min(progress.bytes, file.size) : 0
  return (
    <div className="progress">
      <progress aria-label={transfer.progress} max={file.size} value={isWriting ? undefined : sentBytes} />
      <p className="facts" role="status">
        {isWriting
          ? (isTrial ? transfer.checking : transfer.writing)(progress.rows)
          : transfer.reading(formatBytes(sentBytes), formatBytes(file.size))}
      </p>
      <Button variant="default" size="xs" onClick={cancel}>
        {transfer.cancel}
      </Button>
    </div>
  )
}

function Ended({ outcome: { inserted, updated = 0, dryRun, ignored = [] } }: { outcome: Outcome }) {
  const { transfer } = useStrings()
  return (
    <>
      <span className="badge">{dryRun ? transfer.validState : transfer.importedState}</span>{' '}
      {(dryRun ? transfer.wouldImport : transfer.imported)(inserted, updated)}
      {ignored.length ? ` ${transfer.skippedColumns(ignored.join(', '))}` : ''}
    </>
  )
}

function Problems({ error, file, encoding }: { error: unknown; file: File; encoding: Encoding }) {
  const strings = useStrings()
  const { transfer } = strings
  const problems = error instanceof Refusal ? (error.body.errors ?? []) : []
  const numbers = problems.flatMap(({ line }) => line ?? [])
  const { data: lines } = useQuery({
    queryKey: ['lines', file.name, file.size, file.lastModified, encoding, numbers],
    enabled: numbers.length > 0,
    queryFn: () => readLines(file, encoding, numbers),
  })
  if (numbers.length === 0)
    return (
      <p role="alert" className="alert">
        {wordsFor(error, strings)}
      </p>
    )
  const total = Number((error as Refusal).body.details?.errorCount ?? problems.length)
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
