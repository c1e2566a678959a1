import { arrayLiteral } from '../../../db/arrays'
import type { Assignment } from '../assignment'
import type { ImportSession } from '../session'
import { cellName } from '../values'
import { lineSource } from './faults'

/** A longer text is not offered for correction. */
const maxSentLength = 1000

type Cell = { id: string; column: string | null }
type SentFile = { assignment: Assignment; hasTexts: boolean } & Parameters<typeof lineSource>[0]

/**
 * The short texts of cells as they were sent, for a caller who corrects cells.
 * @returns a function from a record and a column; a long text, or a cell that is not in the file, has no value
 */
export async function sentTexts(
  session: ImportSession,
  file: SentFile,
  cells: readonly Cell[],
): Promise<(id: string, column: string | null) => { value?: string }> {
  if (!file.hasTexts) return () => ({})
  const cellOf = new Map(file.assignment.filled.map(({ column, cell }) => [column.name, cell]))
  const numbers = [...new Set(cells.map(({ column }) => cellOf.get(column ?? '') ?? -1))].filter((number) => number >= 0)
  const names = numbers.map((number) => `, pg_catalog.left(coalesce(${cellName(number)}, ''), ${maxSentLength + 1}) as c${number}`)
  const rows = await session.run<Record<string, string>>(
    `select s.ctid::text as id${names.join('')} from ${lineSource(file)} s where s.ctid = any($1::tid[])`,
    [arrayLiteral([...new Set(cells.map(({ id }) => id))])],
  )
  const records = new Map(rows.map((row) => [row.id!, row]))
  return (id, column) => {
    const value = records.get(id)?.[`c${cellOf.get(column ?? '')}`]
    return value === undefined || value.length > maxSentLength ? {} : { value }
  }
}
