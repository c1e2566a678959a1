import { locale } from '../../../language'
import { decimalMark, numberText } from '../../../values/decimal'
import { exactNumber, parseExact } from '../../../values/exact-json'
import { localMoment, utcMoment, withPlainDay } from '../../../values/timestamps'
import { isJson } from '../../record/fields/field-draft'
import { choicesOf, kindOf } from '../data/cell-kinds'
import { type Column, plainText } from '../data/cell-values'

/** What is none stays text: the service says in its words what is wrong with it. */
function numberOf(text: string): unknown {
  const number = numberText(text, decimalMark())
  return number === null ? text : exactNumber(number)
}

/** What was typed as JSON, and is none: nothing that could be sent. */
export class NotJson {}

const jsonOf = (text: string): unknown => (isJson(text) ? parseExact(text) : new NotJson())

const yes = ['true', 'yes', 'ja', 'wahr', '1', 'x', '✓']
const no = ['false', 'no', 'nein', 'falsch', '0']

const booleanOf = (text: string): unknown => {
  const word = text.toLowerCase()
  return yes.includes(word) ? true : no.includes(word) ? false : text
}

function listOf(column: Column, text: string): string[] {
  const choices = new Set(choicesOf(column).map(({ value }) => value))
  // A choice may hold a comma itself.
  if (choices.has(text)) return [text]
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

/** Whether people here write the month before the day. */
const isMonthFirst = () => new Intl.DateTimeFormat(locale()).formatToParts(0)[0]?.type === 'month'

/** What was typed or pasted → what is sent. Blank is nothing. */
export function typedValue(text: string, column: Column): unknown {
  const trimmed = text.trim()
  const kind = kindOf(column)
  if (kind === 'multiSelect' || kind === 'manyLinks') return listOf(column, trimmed)
  if (trimmed === '') return kind === 'text' || kind === 'longText' ? text || null : null
  switch (kind) {
    case 'number':
      return numberOf(trimmed)
    case 'boolean':
      return booleanOf(trimmed)
    case 'json':
      return jsonOf(trimmed)
    case 'date':
      return withPlainDay(trimmed, isMonthFirst())
    case 'time':
      // An hour with one digit, as it is spoken.
      return trimmed.replace(/^\d(?=:)/, '0$&')
    case 'dateTime':
      return utcMoment(withPlainDay(trimmed, isMonthFirst()).replace(/ (\d:)/, ' 0$1'))
    case 'text':
    case 'longText':
      return text
    default:
      return trimmed
  }
}

/** What an editor begins with. A moment is written in the user's zone. */
export function editedText(value: unknown, column: Column): string {
  const kind = kindOf(column)
  if (kind === 'json') return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
  return kind === 'dateTime' ? localMoment(plainText(value)) : plainText(value)
}

/** What goes to the clipboard: as the API writes it, and as it can be pasted again. */
export const copiedText = (value: unknown, column: Column): string =>
  kindOf(column) === 'json' && value !== null && value !== undefined ? JSON.stringify(value) : plainText(value)
