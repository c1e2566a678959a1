import type { LineProblem } from '../../../errors'
import type { Tolerance } from '../options'
import type { ImportSession } from '../session'
import { type Explanation, type Staged, throwExplained } from './explanation'
import { countMended, hideFaults, leaveOutRecords } from './faults'

/** The cells and lines that an import skipped, and the first reasons in the order of the file. */
export type MendedCounts = { emptied: number; skipped: number; problems: LineProblem[] }

export type Mending = { tolerance: Tolerance; counts: MendedCounts; rounds: number }

/** Faults that only appear when writing are found one by one, each in a separate round. */
const maxRounds = 50
const maxDisplayed = 100

export const createMending = ({ areCellsEmptied, areLinesSkipped }: Tolerance): Mending => ({
  tolerance: { areCellsEmptied, areLinesSkipped },
  counts: { emptied: 0, skipped: 0, problems: [] },
  rounds: 0,
})

export const toMendedCounts = ({ tolerance, counts }: Mending): Partial<MendedCounts> =>
  tolerance.areCellsEmptied || tolerance.areLinesSkipped ? counts : {}

/**
 * Removes the faults from the staged file, as far as the caller allows.
 * @throws Failure validation_failed for faults that the caller does not allow
 */
export async function mendOrThrow(session: ImportSession, staged: Staged, mending: Mending, explanation: Explanation): Promise<void> {
  const { areCellsEmptied, areLinesSkipped } = mending.tolerance
  const isAllowed = areLinesSkipped || (areCellsEmptied && explanation.areAllCells)
  if (!isAllowed || staged.scanner.isUnclosed() || ++mending.rounds > maxRounds) await throwExplained(session, staged, explanation)
  if (!areCellsEmptied) await leaveOutRecords(session)
  if (!staged.isMended) await hideFaults(session, staged.columns)
  staged.isMended = true
  const { cells, lines } = await countMended(session)
  staged.skippedRows = lines
  const found = [...mending.counts.problems, ...explanation.problems]
  const problems = found.sort((one, other) => one.line - other.line).slice(0, maxDisplayed)
  mending.counts = { emptied: cells, skipped: lines + staged.scanner.problemCount(), problems }
}
