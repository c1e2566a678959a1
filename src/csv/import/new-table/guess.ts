import { columnTypes } from '../../../tables/column-types'
import { isDate } from '../../../tables/column-types/date'
import type { NewColumn } from '../../../tables/model'
import { currencyIn, readAmount, readDate } from '../../../tables/notation'
import type { ColumnForm } from '../../../xlsx/number-formats'
import { withoutNameApostrophe } from '../../formulas'
import type { FileNotation } from '../notation-sql'

/** The type and options of a new column, as guessed from its cells. */
export type Guess = { type: NewColumn['type']; options?: Record<string, unknown> }

/** With more different words, a list of choices would hardly be useful. */
export const maxGuessedChoices = 12
/** Each word must occur this often on average; otherwise the column is not a list of choices. */
const minRepeats = 5
const minRowsForChoices = 20
const maxChoiceLength = 40
const maxLineLength = 200

const wholePattern = /^(0|-?[1-9]\d{0,18})$/
/** Zero has no sign in PostgreSQL. */
const numberPattern = /^(?!-[0.]+$)-?(0|[1-9]\d{0,29})(\.\d{1,30})?$/
/** PostgreSQL stores microseconds and supports offsets of less than 16 hours. */
const timestampPattern = /^(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?\s?(Z|[+-](0\d|1[0-5])(:?[0-5]\d)?)?$/i
/** `[h]:mm:ss` of a workbook, in whole seconds. */
const durationPattern = /^-?\d{1,9}:[0-5]\d:[0-5]\d$/
const timePattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/

/** Nine digits are within every limit. */
const isWithin = (text: string, most: bigint) => text.length < 10 || (BigInt(text) <= most && BigInt(text) >= -most - 1n)

const fits = (type: 'uuid' | 'email' | 'url') => (text: string) => columnTypes[type].problem(text, {}) === null

type TypeRule = [Guess['type'], (text: string, notation: FileNotation) => boolean]

const durations: TypeRule = ['duration', (text) => durationPattern.test(text)]

/**
 * Tried in this order; the first type that every value fits is chosen. `007` and `+49…` are not numbers: their leading
 * characters would be lost.
 */
const guesses: TypeRule[] = [
  ['boolean', (text) => /^(true|false|yes|no|ja|nein|wahr|falsch|x|✓|✔)$/i.test(text)],
  ['integer', (text) => wholePattern.test(text) && isWithin(text, 2n ** 31n - 1n)],
  ['bigint', (text) => wholePattern.test(text) && isWithin(text, 2n ** 63n - 1n)],
  ['decimal', (text) => numberPattern.test(text)],
  ['date', isDate],
  ['dateTime', isMoment],
  ['time', (text) => timePattern.test(text)],
  ['uuid', fits('uuid')],
  ['email', fits('email')],
  ['url', fits('url')],
  ['json', isJsonObject],
]

/** Without an offset, a day or a local time is a timestamp only if its zone is known. */
function isMoment(text: string, { timezone }: FileNotation): boolean {
  const [, day = '', , , , offset] = timestampPattern.exec(text) ?? []
  return (isDate(day) && (offset !== undefined || timezone !== undefined)) || (timezone !== undefined && isDate(text))
}

function isJsonObject(text: string): boolean {
  if (!/^[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A percent sign, a currency or brackets: a number would lose them, unless the whole column has them. */
const hasUnit = /[^\d\s.,+-]/

/** The form that PostgreSQL will read; a text that is neither a date nor a number stays unchanged. */
export function plainText(text: string, { dates, decimals }: FileNotation): string {
  if (/^-?\d+$/.test(text)) return text
  // Blanks alone could also group the digits of a phone number.
  const isNumber = !hasUnit.test(text) && !(/\d \d/.test(text) && !/[.,]/.test(text))
  const amount = decimals && isNumber ? readAmount(text, decimals) : null
  return (dates && readDate(text, dates)) ?? amount ?? text
}

/** A guess that is tested against one cell after another, each with its `plainText` if known. */
export type TypeGuess = { add: (cell: string, plain?: string) => void; result: () => Guess }

/**
 * Guesses the type of a column from its cells, however many there are. Empty cells do not count.
 * @param form how a workbook displays the numbers of the column: it decides between the types that fit
 */
export function createTypeGuess(notation: FileNotation = {}, form: ColumnForm | null = null): TypeGuess {
  let isEmpty = true
  let kinds = form === 'duration' ? [...guesses, durations] : guesses
  let isLong = false
  const unit = createUnitGuess(notation)
  const choice = createChoiceGuess()
  return {
    add: (cell, text = plainText(cell, notation)) => {
      if (cell === '') return
      isEmpty = false
      unit.add(cell)
      if (kinds.length) kinds = kinds.filter(([, isKind]) => isKind(text, notation))
      isLong ||= text.length > maxLineLength || /[\r\n]/.test(text)
      choice.add(notation.formulas === 'escape' ? withoutNameApostrophe(text) : text)
    },
    result: () => {
      if (isEmpty) return { type: 'text' }
      const types = kinds.map(([type]) => type)
      const type = types.find((each) => each === form) ?? types[0]
      const shown = types.includes('decimal') ? shownUnit(form) : null
      const found = unit.result() ?? shown ?? (type ? { type } : null)
      return found ?? (isLong ? { type: 'longText' } : (choice.result() ?? { type: 'text' }))
    },
  }
}

type CellRule = (cell: string, plain: string) => boolean

/** Whether a cell fits a type by the rule that guesses it; null for a type that no single cell decides. */
export function cellRule({ type, options }: Guess, notation: FileNotation, form: ColumnForm | null): CellRule | null {
  const isUnit = type === 'percent' || type === 'currency'
  if (isUnit && shownUnit(form)?.type !== type) return (cell) => isAmount(cell, notation) && isOfUnit(cell, options?.currency)
  const [, fits] = [...guesses, durations].find(([each]) => each === (isUnit ? 'decimal' : type)) ?? []
  return fits ? (_, plain) => fits(plain, notation) : null
}

const isOfUnit = (cell: string, currency: unknown) => (currency === undefined ? cell.includes('%') : currencyIn(cell) === currency)

/**
 * The units of cells: percent signs and currencies.
 * @param most the maximum number of cells that are not amounts; if there are more, the column has no units
 */
export function unitsOf(cells: readonly string[], notation: FileNotation, most: number): Guess[] {
  const amounts: string[] = []
  let others = 0
  for (const cell of cells) {
    if (cell === '') continue
    if (isAmount(cell, notation)) amounts.push(cell)
    else if (++others > most) return []
  }
  const codes = new Set(amounts.flatMap((cell) => currencyIn(cell) ?? []))
  return [
    ...(amounts.some((cell) => cell.includes('%')) ? [{ type: 'percent' as const }] : []),
    ...[...codes].map((currency) => ({ type: 'currency' as const, options: { currency } })),
  ]
}

const currencyCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** The numbers of a workbook are plain; their format shows a percent sign or a currency. */
export function shownUnit(form: ColumnForm | null | undefined): Guess | null {
  if (form === 'percent') return { type: form }
  const sign = form?.startsWith('currency ') ? form.slice('currency '.length) : ''
  const currency = currencyIn(sign) ?? (currencyCodes.has(sign) ? sign : undefined)
  return currency === undefined ? null : { type: 'currency', options: { currency } }
}

/** @param values the cells of one column, including empty ones */
export function guessType(values: readonly string[], notation: FileNotation = {}, form: ColumnForm | null = null): Guess {
  const guess = createTypeGuess(notation, form)
  for (const value of values) guess.add(value)
  return guess.result()
}

/** Whether a column would hold timestamps if the zone of the file were known. */
export const needsTimeZone = (values: readonly string[], notation: FileNotation): boolean =>
  notation.timezone === undefined &&
  guessType(values, notation).type !== 'dateTime' &&
  guessType(values, { ...notation, timezone: 'UTC' }).type === 'dateTime'

const isAmount = (cell: string, { decimals = 'point' }: FileNotation) => hasUnit.test(cell) && readAmount(cell, decimals) !== null

/** A column whose cells are all percents or amounts of one currency. */
function createUnitGuess(notation: FileNotation) {
  let isUnit = true
  let arePercents = true
  const codes = new Set<string | undefined>()
  return {
    add: (cell: string) => {
      isUnit &&= isAmount(cell, notation)
      if (!isUnit) return
      arePercents &&= cell.includes('%')
      codes.add(currencyIn(cell))
    },
    result: (): Guess | null => {
      if (!isUnit) return null
      if (arePercents) return { type: 'percent' }
      const [currency] = codes
      return codes.size === 1 && currency ? { type: 'currency', options: { currency } } : null
    },
  }
}

/** A column of a few words that occur often. */
function createChoiceGuess() {
  const words = new Set<string>()
  let count = 0
  let isPossible = true
  return {
    add: (text: string) => {
      count++
      if (!isPossible) return
      words.add(text)
      isPossible = words.size <= maxGuessedChoices && text.length <= maxChoiceLength && text === text.trim()
    },
    result: (): Guess | null => {
      const isRepeated = count >= minRowsForChoices && count >= words.size * minRepeats
      return isPossible && isRepeated && words.size > 1 ? { type: 'select', options: { choices: [...words].sort() } } : null
    },
  }
}

/** From narrow to wide: each holds all numbers of those before it, digit by digit. */
export const numberTypes: readonly Guess['type'][] = ['integer', 'bigint', 'decimal']

/**
 * The type of a column whose first records have one type, and all of its records another. A number may get a wider
 * type; any other contradicted type becomes text, which holds every cell unchanged.
 */
export function heldType(first: Guess['type'], all: Guess['type']): Guess['type'] {
  if (first === all) return first
  const [narrow, wide] = [numberTypes.indexOf(first), numberTypes.indexOf(all)]
  return narrow >= 0 && wide >= 0 ? numberTypes[Math.max(narrow, wide)]! : 'text'
}

/** The next type to try when PostgreSQL cannot read a value; text in the end, which fits every value. */
export const widerType = (type: Guess['type']): Guess['type'] => (type === 'integer' ? 'bigint' : type === 'bigint' ? 'decimal' : 'text')

/** Whether a cell may be a key of this type. */
const isKeyOf = {
  bigint: (value: string) => wholePattern.test(value) && isWithin(value, 2n ** 63n - 1n),
  uuid: fits('uuid'),
}

/** Whether each cell can be a key of this type, one after another. Empty cells cannot. */
export function createKeyGuess(type: 'bigint' | 'uuid'): { add: (cell: string) => void; isKey: () => boolean } {
  let isKey = true
  return {
    add: (cell) => {
      isKey &&= isKeyOf[type](cell)
    },
    isKey: () => isKey,
  }
}

/** The type of a key column, if the cells look like a key. */
export function guessKey(values: readonly string[]): 'bigint' | 'uuid' | null {
  if (values.length === 0 || values.includes('') || new Set(values).size < values.length) return null
  return (['bigint', 'uuid'] as const).find((type) => values.every(isKeyOf[type])) ?? null
}
