import { locale } from '../../../language'
import { decimalMark, toJsonNumber } from '../../../values/decimal'
import { exactNumber, parseExact } from '../../../values/exact-json'
import { normalizeDate, toLocalTimestamp, toUtcTimestamp } from '../../../values/timestamps'
import { isJson } from '../../record/fields/field-draft'
import { cellKind, columnChoices } from '../data/cell-kinds'
import { type GridColumn, toPlainText } from '../data/cell-values'

/** Text that is not a number is sent as it is, and the service reports it. */
function parseNumber(text: string): unknown {
  const number = toJsonNumber(text, decimalMark())
  return number === null ? text : exactNumber(number)
}

/** Input in a JSON column that is not valid JSON and cannot be sent. */
export class InvalidJsonInput {}

const parseJson = (text: string): unknown => (isJson(text) ? parseExact(text) : new InvalidJsonInput())

const trueWords = ['true', 'yes', 'ja', 'wahr', '1', 'x', '✓']
const falseWords = ['false', 'no', 'nein', 'falsch', '0']

const parseBoolean = (text: string): unknown => {
  const word = text.toLowerCase()
  return trueWords.includes(word) ? true : falseWords.includes(word) ? false : text
}

/** The value that a key begins, such as "y" for yes; null for others. */
export function parseTypedBoolean(key: string): boolean | null {
  const begins = (word: string) => word.startsWith(key.toLowerCase())
  return trueWords.some(begins) ? true : falseWords.some(begins) ? false : null
}

function parseList(column: GridColumn, text: string): string[] {
  const choices = new Set(columnChoices(column).map(({ value }) => value))
  // A choice may contain a comma.
  if (choices.has(text)) return [text]
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

/** Whether the user's locale writes the month before the day. */
const isMonthFirst = () => new Intl.DateTimeFormat(locale()).formatToParts(0)[0]?.type === 'month'

/** Parses input from the keyboard or the clipboard. Blank input is null. */
export function parseInput(text: string, column: GridColumn): unknown {
  const trimmed = text.trim()
  const kind = cellKind(column)
  if (kind === 'multiSelect' || kind === 'manyLinks') return parseList(column, trimmed)
  if (trimmed === '') return kind === 'text' || kind === 'longText' ? text || null : null
  switch (kind) {
    case 'number':
      return parseNumber(trimmed)
    case 'boolean':
      return parseBoolean(trimmed)
    case 'json':
      return parseJson(trimmed)
    case 'date':
      return normalizeDate(trimmed, isMonthFirst())
    case 'time':
      // Accepts hours with one digit.
      return trimmed.replace(/^\d(?=:)/, '0$&')
    case 'dateTime':
      return toUtcTimestamp(normalizeDate(trimmed, isMonthFirst()).replace(/ (\d:)/, ' 0$1'))
    case 'text':
    case 'longText':
      return text
    default:
      return trimmed
  }
}

/** The initial text of an editor. Timestamps are displayed in the user's time zone. */
export function toEditorText(value: unknown, column: GridColumn): string {
  const kind = cellKind(column)
  if (kind === 'json') return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
  return kind === 'dateTime' ? toLocalTimestamp(toPlainText(value)) : toPlainText(value)
}

/** The clipboard text of a value, as the API writes it; pasting it restores the value. */
export const toClipboardText = (value: unknown, column: GridColumn): string =>
  cellKind(column) === 'json' && value !== null && value !== undefined ? JSON.stringify(value) : toPlainText(value)
