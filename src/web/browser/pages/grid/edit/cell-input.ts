import { valueType } from '../../../../../tables/column-types/descriptors'
import { isJson } from '../../../fields/field-draft'
import { cellKind, linkSource } from '../../../records/values/cell-kinds'
import { type GridColumn, toPlainText } from '../../../records/values/cell-values'
import { decimalMark, roundDecimal, toJsonNumber, toTypedNumber } from '../../../values/decimal'
import { exactNumber, parseExact, toText } from '../../../values/exact-json'
import { isDateKind, readTypedDate, toTypedDate } from '../../../values/typed-dates'
import { UnreadableInput } from '../../../values/unreadable-input'
import { findChoice, parseChoices, toChoicesText } from './choice-text'
import type { CopiedLink } from './clipboard-formats'

function parseNumber(text: string, { type }: GridColumn): unknown {
  const number = toJsonNumber(text, decimalMark(), type)
  if (number === null) return new UnreadableInput(text, type === 'duration' ? 'duration' : 'number')
  if (['integer', 'bigint', 'rating'].includes(type) && /\.0*[1-9]/.test(number)) return new UnreadableInput(text, 'wholeNumber')
  return exactNumber(number)
}

const parseJson = (text: string): unknown => (isJson(text) ? parseExact(text) : new UnreadableInput(text, 'json'))

const trueWords = ['true', 'yes', 'ja', 'wahr', '1', 'x', '✓']
const falseWords = ['false', 'no', 'nein', 'falsch', '0']

const parseBoolean = (text: string): unknown => {
  const word = text.toLowerCase()
  return trueWords.includes(word) ? true : falseWords.includes(word) ? false : new UnreadableInput(text, 'boolean')
}

/** The value that a key means, such as "y" for yes; null for other keys. */
export function parseTypedBoolean(key: string): boolean | null {
  const begins = (word: string) => word.startsWith(key.toLowerCase())
  return trueWords.some(begins) ? true : falseWords.some(begins) ? false : null
}

function parseList(column: GridColumn, text: string): string[] | UnreadableInput {
  if (cellKind(column) === 'multiSelect') return parseChoices(text, column)
  return text.split(',').flatMap((part) => part.trim() || [])
}

const parseChoice = (text: string, column: GridColumn): unknown => findChoice(text, column) ?? new UnreadableInput(text, 'choice')

/** Parses input from the keyboard or the clipboard: a value, or an `UnreadableInput`. Blank input is null. */
export function parseInput(text: string, column: GridColumn): unknown {
  const trimmed = text.trim()
  const kind = cellKind(column)
  if (kind === 'multiSelect' || kind === 'manyLinks') return parseList(column, trimmed)
  if (trimmed === '') return kind === 'text' || kind === 'longText' ? text || null : null
  switch (kind) {
    case 'number':
      return parseNumber(trimmed, column)
    case 'boolean':
      return parseBoolean(trimmed)
    case 'json':
      return parseJson(trimmed)
    case 'date':
    case 'time':
    case 'dateTime':
      return readTypedDate(kind, trimmed)
    case 'select':
      return parseChoice(trimmed, column)
    case 'text':
    case 'longText':
      return text
    default:
      return trimmed
  }
}

/** The decimal places of a column that has a fixed number of them. */
const scaleOf = ({ options }: GridColumn): number | null => (options.precision === undefined ? null : Number(options.scale ?? 0))

/** The number, rounded to the decimal places of its column; null if it needs no rounding. */
export function roundToColumn(value: unknown, column: GridColumn): unknown {
  const scale = cellKind(column) === 'number' && !(value instanceof UnreadableInput) ? scaleOf(column) : null
  const rounded = scale === null ? null : roundDecimal(toText(value), scale)
  return rounded === null ? null : exactNumber(rounded)
}

/**
 * Parses a block of input, rounds each number to the decimal places of its column, and counts the rounded numbers.
 * @param toLink the value of a link column, if the text names records
 */
export function createBlockParser(toLink: (text: string, column: GridColumn) => unknown) {
  let rounded = 0
  const parse = (text: string, column: GridColumn, link?: CopiedLink): unknown => {
    const keys = copiedKeys(link, column) ?? toLink(text, column)
    const value = keys === undefined ? parseInput(text, column) : keys
    const fitting = roundToColumn(value, column)
    if (fitting !== null) rounded++
    return fitting ?? value
  }
  return { parse, rounded: () => rounded }
}

/** The copied keys, if they come from a column that links to the same records. */
export function copiedKeys(link: CopiedLink | undefined, column: GridColumn): string | string[] | undefined {
  const kind = cellKind(column)
  if (!link || !['link', 'manyLinks', 'person'].includes(kind) || linkSource(column) !== link.source) return undefined
  return kind === 'manyLinks' ? link.keys : link.keys[0]
}

/** The initial text of an editor. Timestamps are displayed in the user's time zone. */
export function toEditorText(value: unknown, column: GridColumn): string {
  const kind = cellKind(column)
  if (kind === 'json') return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
  const text = toPlainText(value)
  if (isDateKind(kind)) return toTypedDate(kind, text, column.options)
  return kind === 'number' ? toTypedNumber(text, decimalMark(), valueType(column)) : text
}

/**
 * The clipboard text of a value: as the API writes it, but with the decimal separator of the locale, by which
 * spreadsheets read it. Pasting it restores the value.
 */
export function toClipboardText(value: unknown, column: GridColumn): string {
  const kind = cellKind(column)
  if (kind === 'json' && value !== null && value !== undefined) return JSON.stringify(value)
  if (kind === 'multiSelect' && Array.isArray(value)) return toChoicesText(value.map(toPlainText), column)
  return kind === 'number' ? toTypedNumber(toPlainText(value), decimalMark(), valueType(column)) : toPlainText(value)
}
