import { truncateBytes } from '../../../truncate'
import type { ColumnForm } from '../../../xlsx/number-formats'
import type { FileNotation } from '../notation-sql'
import { cellRule, type Guess, numberTypes, plainText, shownUnit, unitsOf } from './guess'

/**
 * A type that a column does not have because some of its `cells` do not fit it. Empty cells do not count. `at` is a
 * line of the file, or the id of a staged record.
 */
export type NearType<Place = number> = { guess: Guess; cells: number; misfits: number; first: { value: string; at: Place } }

/** With fewer cells, a single misfit is more than a tenth, which people notice in the preview. */
const minCells = 10
const maxShare = 0.1

/**
 * The types that a column must not lose silently because of a few cells. The others, such as `boolean`, `uuid` and
 * `json`, serve programs, which choose their types.
 */
const proposedTypes: readonly Guess['type'][] = ['integer', 'bigint', 'decimal', 'date', 'dateTime', 'time', 'email', 'url']

/** How the cells of a column are read. */
type CellReading = { notation: FileNotation; form: ColumnForm | null }

/**
 * Counts, for each of several types, the cells that do not fit, one cell after another. Numeric types are ordered from
 * narrow to wide.
 * @param most the maximum number of misfits; counting stops for a type that exceeds it
 */
export function createMisfitCount<Place>(guesses: readonly Guess[], { notation, form }: CellReading, most = Number.POSITIVE_INFINITY) {
  let cells = 0
  let counts = guesses.flatMap((guess) => {
    const fits = cellRule(guess, notation, form)
    const isNumber = numberTypes.includes(guess.type)
    return fits ? [{ guess, fits, isNumber, misfits: 0, haveDigits: false, first: null as NearType<Place>['first'] | null }] : []
  })
  return {
    add: (value: string, at: Place, given?: string) => {
      if (value === '' || counts.length === 0) return
      const plain = given ?? plainText(value, notation)
      cells++
      let isNumber = false
      for (const count of counts) {
        // A wider numeric type can hold every value of a narrower one.
        if (isNumber && count.isNumber) continue
        if (count.fits(value, plain)) {
          isNumber ||= count.isNumber
          continue
        }
        count.misfits++
        count.haveDigits ||= /\d/.test(value)
        count.first ??= { value, at }
        if (count.misfits > most) counts = counts.filter((other) => other !== count)
      }
    },
    /** The type that most cells fit. @param isFew whether only a few cells may be misfits */
    nearest: (isFew: boolean): NearType<Place> | null => {
      const possible = counts.filter((count) => !isFew || areFew(count, cells))
      const [best] = possible.sort((one, other) => one.misfits - other.misfits)
      return best?.first ? { guess: best.guess, cells, misfits: best.misfits, first: best.first } : null
    },
  }
}

/** Among numbers, `007` and `12a` indicate house numbers and codes, which are text. */
const areFew = ({ guess, misfits, haveDigits }: { guess: Guess; misfits: number; haveDigits: boolean }, cells: number): boolean =>
  cells >= minCells && misfits <= cells * maxShare && !(haveDigits && numberTypes.includes(guess.type))

/** The type that nearly all cells of a column fit whose guess is `found`. @param lines the lines of the cells */
export function nearType(found: Guess, cells: readonly string[], lines: readonly number[], reading: CellReading): NearType | null {
  if (!isFallback(found.type)) return null
  const { notation, form } = reading
  const most = cells.filter((cell) => cell !== '').length * maxShare
  const unit = shownUnit(form)
  const count = createMisfitCount<number>(
    [
      ...(unit ? [unit] : form === 'duration' ? [{ type: form } as const] : []),
      ...proposedTypes.map((type) => ({ type })),
      ...unitsOf(cells, notation, most),
    ],
    reading,
    most,
  )
  for (const [index, cell] of cells.entries()) count.add(cell, lines[index]!)
  return count.nearest(true)
}

/** For a response, in which long cells are cut off. */
export const toNearly = ({ guess, cells, misfits, first }: NearType) => ({
  type: guess.type,
  options: guess.options ?? {},
  ...{ cells, misfits },
  line: first.at,
  value: truncateBytes(first.value, maxValueBytes),
})

const maxValueBytes = 200

/** The types for cells that have nothing else in common. */
export const isFallback = (type: Guess['type']): boolean => type === 'text' || type === 'longText' || type === 'select'

/** A type or, for a number, all numeric types, since the column may get another of them. */
export const withWider = (guess: Guess): Guess[] => (numberTypes.includes(guess.type) ? numberTypes.map((type) => ({ type })) : [guess])
