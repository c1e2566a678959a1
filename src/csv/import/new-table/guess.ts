import { columnTypes } from '../../../tables/column-types'
import { isDate } from '../../../tables/column-types/date'
import type { NewColumn } from '../../../tables/model'
import { currencyIn, type Notation, readAmount, readDate } from '../../../tables/notation'

/** The type and options of a new column, as guessed from its cells. */
export type Guess = { type: NewColumn['type']; options?: Record<string, unknown> }

/** With more different words, people will hardly want a list to choose from. */
export const maxGuessedChoices = 12
/** Each word must occur so often on average, or else the column is no list. */
const minRepeats = 5
const minRowsForChoices = 20
const maxChoiceLength = 40
const maxLineLength = 200

const wholePattern = /^-?(0|[1-9]\d{0,18})$/
const numberPattern = /^-?(0|[1-9]\d{0,29})(\.\d{1,30})?$/
const timestampPattern = /^(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?\s?(Z|[+-]\d\d(:?\d\d)?)?$/i
const timePattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/

const isWithin = (text: string, most: bigint) => BigInt(text) <= most && BigInt(text) >= -most - 1n

const fits = (type: 'uuid' | 'email' | 'url') => (text: string) => columnTypes[type].problem(text, {}) === null

/**
 * In this order; the first that every value fits. `007` and `+49…` are no numbers: what stands in front of them would
 * be lost.
 */
const guesses: [Guess['type'], (text: string) => boolean][] = [
  ['boolean', (text) => /^(true|false|yes|no|ja|nein|wahr|falsch|x|✓|✔)$/i.test(text)],
  ['integer', (text) => wholePattern.test(text) && isWithin(text, 2n ** 31n - 1n)],
  ['bigint', (text) => wholePattern.test(text) && isWithin(text, 2n ** 63n - 1n)],
  ['decimal', (text) => numberPattern.test(text)],
  ['date', isDate],
  ['dateTime', (text) => isDate(timestampPattern.exec(text)?.[1] ?? '')],
  ['time', (text) => timePattern.test(text)],
  ['uuid', fits('uuid')],
  ['email', fits('email')],
  ['url', fits('url')],
  ['json', isJsonObject],
]

function isJsonObject(text: string): boolean {
  if (!/^[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** As PostgreSQL will read it; what is no date and no number stays as it is. */
function plainText(text: string, { dates, decimals }: Notation): string {
  // Blanks alone may as well group the digits of a phone number.
  const amount = decimals && !/^[^.,]*\d \d[^.,]*$/.test(text) ? readAmount(text, decimals) : null
  return (dates && readDate(text, dates)) ?? amount ?? text
}

/** @param values the cells of one column, including empty ones */
export function guessType(values: readonly string[], notation: Notation = {}): Guess {
  const written = values.filter((value) => value !== '')
  const filled = written.map((value) => plainText(value, notation))
  if (filled.length === 0) return { type: 'text' }
  const unit = guessUnit(written, notation)
  if (unit) return unit
  const kind = guesses.find(([, isKind]) => filled.every(isKind))
  if (kind) return { type: kind[0] }
  if (filled.some((value) => value.length > maxLineLength || /[\r\n]/.test(value))) return { type: 'longText' }
  return isChoice(filled) ? { type: 'select', options: { choices: [...new Set(filled)].sort() } } : { type: 'text' }
}

/** A column whose cells all are percents, or amounts of one currency. */
function guessUnit(written: readonly string[], { decimals = 'point' }: Notation): Guess | null {
  if (!written.every((value) => /[^\d\s.,+-]/.test(value) && readAmount(value, decimals) !== null)) return null
  if (written.every((value) => value.includes('%'))) return { type: 'percent' }
  const codes = new Set(written.map(currencyIn))
  const [currency] = codes
  return codes.size === 1 && currency ? { type: 'currency', options: { currency } } : null
}

function isChoice(filled: readonly string[]): boolean {
  const different = new Set(filled).size
  const isRepeated = filled.length >= minRowsForChoices && different <= maxGuessedChoices && filled.length >= different * minRepeats
  return isRepeated && different > 1 && filled.every((value) => value.length <= maxChoiceLength && value === value.trim())
}

/** The next type to try when a value further down does not fit the guess; null after text, which fits every value. */
export const widerType = (type: Guess['type']): Guess['type'] =>
  type === 'integer' ? 'bigint' : type === 'bigint' ? 'decimal' : type === 'date' ? 'dateTime' : 'text'

/** The type of a key column, if the cells look like a key. */
export function guessKey(values: readonly string[]): 'bigint' | 'uuid' | null {
  if (values.length === 0 || values.includes('') || new Set(values).size < values.length) return null
  if (values.every((value) => wholePattern.test(value) && isWithin(value, 2n ** 63n - 1n))) return 'bigint'
  return values.every(fits('uuid')) ? 'uuid' : null
}
