import { useQuery } from '@tanstack/react-query'
import type { ApiError } from '../../api/api-error'
import { useStrings } from '../../language'
import type { SampleEncoding } from './csv-sample'
import { readLines } from './file-lines'

type ProblemTableProps = { problems: NonNullable<ApiError['body']['errors']>; file: File; encoding: SampleEncoding }

/** Errors by line, each with the text of its line. */
export function ProblemTable({ problems, file, encoding }: ProblemTableProps) {
  const { transfer } = useStrings()
  const numbers = problems.flatMap(({ line }) => line ?? [])
  const isWorkbook = /\.xls[xm]$/i.test(file.name) || problems.some(({ cell }) => cell)
  const { data: lines } = useQuery({
    queryKey: ['lines', file.name, file.size, file.lastModified, encoding, numbers],
    // The cells of a workbook are no lines of text.
    enabled: numbers.length > 0 && !isWorkbook,
    queryFn: () => readLines(file, encoding, numbers),
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled has to be reachable by keyboard
    <section className="table-frame problems" tabIndex={0} aria-label={transfer.problemList}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{isWorkbook ? transfer.cell : transfer.line}</th>
            <th scope="col">{transfer.column}</th>
            <th scope="col">{transfer.problem}</th>
            {isWorkbook ? null : <th scope="col">{transfer.content}</th>}
          </tr>
        </thead>
        <tbody>
          {problems.map(({ line = 0, column, message, cell }) => (
            <tr key={`${line} ${column} ${message}`}>
              <th scope="row">{cell ?? line}</th>
              <td>{column}</td>
              <td>{message}</td>
              {isWorkbook ? null : <td className="cell mono soft">{lines?.get(line)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
