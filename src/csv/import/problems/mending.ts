import type { LineProblem } from '../../../errors'
import type { Tolerance } from '../options'
import type { ImportSession } from '../session'
import { type Explanation, type Staged, throwExplained } from './explanation'
import { countMended, hideFaults, leaveOutRecords } from './faults'

/** What an import that may do so left out: cells and lines, and the first reasons in the order of the file. */
export type MendedCounts = { emptied: number; skipped: number; problems: LineProblem[] }

export type Mending = { tolerance: Tolerance; counts: MendedCounts; rounds: number }

/** Of records that only the attempt itself shows, each takes a round. */
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
 * Takes what was found wrong out of the staged file, as far as the caller said it may be.
 * @throws Failure validation_failed where it may not
 */
export async function mendOrThrow(session: ImportSession, staged: Staged, mending: Mending, explanation: Explanation): Promise<void> {
  const { areCellsEmptied, areLinesSkipped } = mending.tolerance
  const isAllowed = areLinesSkipped || (areCellsEmptied && explanation.areAllCells)
  if (!isAllowed || staged.scanner.isUnclosed() || ++mending.rounds > maxRounds) throwExplained(explanation)
  if (!areCellsEmptied) await leaveOutRecords(session)
  if (!staged.isMended) await hideFaults(session, staged.columns)
  staged.isMended = true
  const { cells, lines } = await countMended(session)
  staged.skippedRows = lines
  const found = [...mending.counts.problems, ...explanation.problems]
  const problems = found.sort((one, other) => one.line - other.line).slice(0, maxDisplayed)
  mending.counts = { emptied: cells, skipped: lines + staged.scanner.problemCount(), problems }
}
