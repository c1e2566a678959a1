import type { Correction } from '../../../../../csv/import/corrections/read'
import type { ApiError } from '../../../api/api-error'

type LineProblem = NonNullable<ApiError['body']['errors']>[number]

/** A typed correction: `was` is the text in the file, and `cell` the name of the cell in a workbook. */
export type TypedCorrection = Required<Correction> & { cell?: string }

/** A cell with problems, a corrected cell, or a line with a problem that does not concern a single cell. */
export type ProblemRow = {
  key: string
  line: number
  column: string | null
  cell?: string
  messages: string[]
  /** The text in the file; absent if the cell cannot be corrected here. */
  was?: string
  correction?: TypedCorrection
}

const keyOf = ({ line = 0, column }: Pick<LineProblem, 'line' | 'column'>) => `${line} ${column}`

/** The problems and the corrected cells in the order of the file. */
export function problemRows(problems: readonly LineProblem[], corrections: readonly TypedCorrection[]): ProblemRow[] {
  const rows = new Map<string, ProblemRow>()
  for (const correction of corrections) {
    const { line, column, cell, was } = correction
    rows.set(keyOf(correction), { key: keyOf(correction), line, column, cell, was, messages: [], correction })
  }
  for (const { line = 0, column = null, cell, value, message } of problems) {
    const key = column === null ? `${line} ${message}` : keyOf({ line, column })
    const row = rows.get(key) ?? { key, line, column, cell, was: column === null ? undefined : value, messages: [] }
    row.messages.push(message)
    rows.set(key, row)
  }
  return [...rows.values()].sort((one, other) => one.line - other.line)
}

/** Adds a correction. Typing the text of the file removes it. */
export function withCorrection(corrections: readonly TypedCorrection[], typed: TypedCorrection): TypedCorrection[] {
  const others = corrections.filter((other) => keyOf(other) !== keyOf(typed))
  return typed.value === typed.was ? others : [...others, typed]
}

/** The body of an import: fields go before the file, because the service parses the body as a stream. */
export function importBody(file: File, corrections: readonly TypedCorrection[], fields: Record<string, string> = {}): FormData {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  // Even an empty list is sent: only then do problems contain the texts of their cells.
  body.append('corrections', JSON.stringify(corrections.map(({ cell: _, ...correction }) => correction)))
  body.append('file', file)
  return body
}
