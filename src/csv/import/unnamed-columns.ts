import { type Message, translatable } from '../../messages/message'
import type { Assignment } from './assignment'
import type { ImportSession } from './session'
import { cellName, staging } from './values'

/** The columns without a name that are not empty, each with the number of its cells. */
export async function unnamedColumns(session: ImportSession, { unnamed }: Assignment): Promise<Message[]> {
  if (unnamed.length === 0) return []
  const [counts] = await session.run<Record<string, number>>(countFilled(unnamed))
  return unnamed.flatMap((cell) => {
    const count = counts![`n${cell}`]!
    return count ? [translatable('column {place}, which has no name ({count} {count|cell|cells})', { place: cell + 1, count })] : []
  })
}

/** One row with the number of non-empty cells of each column, such as `n3` for cell 3. */
const countFilled = (cells: readonly number[]): string =>
  `select ${cells.map((cell) => `(pg_catalog.count(*) filter (where ${cellName(cell)} <> ''))::int as n${cell}`).join(', ')} from ${staging} s`
