import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent } from 'react'
import type { ApiError } from '../../../api/api-error'
import { useStrings } from '../../../language'
import type { SampleEncoding } from '../csv-sample'
import { type ProblemRow, problemRows, type TypedCorrection } from './corrections'
import { readLines } from './file-lines'

type ProblemTableProps = {
  problems: NonNullable<ApiError['body']['errors']>
  file: File
  encoding: SampleEncoding
  corrections: readonly TypedCorrection[]
  /** The corrections of the last check. */
  checked: readonly TypedCorrection[]
  /** Absent if cells cannot be corrected any more. */
  correct?: (correction: TypedCorrection) => void
}

/** Errors by line, each with the text of its line, and with a field for another text of the cell. */
export function ProblemTable({ problems, file, encoding, corrections, checked, correct }: ProblemTableProps) {
  const { transfer } = useStrings()
  const rows = problemRows(problems, correct ? corrections : [])
  const numbers = rows.map(({ line }) => line)
  const isWorkbook = /\.xls[xm]$/i.test(file.name) || rows.some(({ cell }) => cell)
  const { data: lines } = useQuery({
    queryKey: ['lines', file.name, file.size, file.lastModified, encoding, numbers],
    // Cells of a workbook are not lines of text.
    enabled: numbers.length > 0 && !isWorkbook,
    queryFn: () => readLines(file, encoding, numbers),
    placeholderData: (before) => before,
  })
  if (rows.length === 0) return null
  const canCorrect = correct !== undefined && rows.some(({ was }) => was !== undefined)
  return (
    <>
      {canCorrect ? <p className="soft">{transfer.correctHelp}</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className="table-frame problems" tabIndex={0} aria-label={transfer.problemList}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{isWorkbook ? transfer.cell : transfer.line}</th>
              <th scope="col">{transfer.column}</th>
              {canCorrect ? <th scope="col">{transfer.value}</th> : null}
              <th scope="col">{transfer.problem}</th>
              {isWorkbook ? null : <th scope="col">{transfer.content}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">{row.cell ?? row.line}</th>
                <td>{row.column}</td>
                {canCorrect ? (
                  <td>{row.was === undefined ? null : <CellInput row={row} isFaulty={isFaulty(row, checked)} correct={correct} />}</td>
                ) : null}
                <td>{isFaulty(row, checked) ? row.messages.join(' ') : transfer.corrected}</td>
                {isWorkbook ? null : <td className="cell mono soft">{lines?.get(row.line)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

/** A correction that was not checked yet has no problem of its own. */
const isFaulty = ({ messages, correction }: ProblemRow, checked: readonly TypedCorrection[]): boolean =>
  messages.length > 0 && (!correction || checked.includes(correction))

/** The field drops line breaks, so unchanged text would otherwise differ from the text of the file. */
const toSingleLine = (text: string): string => text.replace(/\r\n|\r|\n/g, ' ')

type CellInputProps = { row: ProblemRow; isFaulty: boolean; correct: (correction: TypedCorrection) => void }

function CellInput({ row, isFaulty, correct }: CellInputProps) {
  const { transfer } = useStrings()
  const { line, column, cell, was = '', correction } = row
  const displayed = toSingleLine(correction?.value ?? was)
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key, currentTarget } = event
    if (key === 'Escape') currentTarget.value = displayed
    if (key !== 'Enter') return
    // Enter must not submit the import form around the field.
    event.preventDefault()
    const inputs = [...(currentTarget.closest('table')?.querySelectorAll('input') ?? [])]
    // Leaving the field submits the correction.
    const next = inputs[inputs.indexOf(currentTarget) + 1]
    if (next) next.focus()
    else currentTarget.blur()
  }
  return (
    <TextInput
      size="xs"
      className="correction"
      aria-label={`${column}, ${cell ?? `${transfer.line} ${line}`}`}
      defaultValue={displayed}
      error={isFaulty}
      onKeyDown={onKeyDown}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onBlur={({ currentTarget: { value: typed } }) => {
        const value = typed === toSingleLine(was) ? was : typed
        if (typed !== displayed) correct({ line, column: column!, value, was, ...(cell ? { cell } : {}) })
      }}
    />
  )
}
