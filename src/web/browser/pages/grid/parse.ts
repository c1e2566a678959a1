import { exactNumber, parseExact } from '../../exact-json'
import { locale } from '../../language'
import { choicesOf, kindOf } from './kinds'
import { type Column, plainText } from './values'

/** A JSON number, digit for digit. What is none stays text: the service says in its words what is wrong with it. */
function numberOf(text: string): unknown {
  const typed = text.replace(/[\s\u00a0\u202f]/g, '').replace('−', '-')
  const isComma = new Intl.NumberFormat(locale()).format(0.5).includes(',')
  // "1,5" is a number where people write it so; "1.234,5" could be two, and is left to be refused.
  const plain = isComma && /^[^.]*,[^,.]*$/.test(typed) ? typed.replace(',', '.') : typed
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/.test(plain)) return text
  return exactNumber(plain)
}

function jsonOf(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    // As text, which is JSON too.
    return text
  }
}

const yes = ['true', 'yes', 'ja', 'wahr', '1', 'x', '✓']
const no = ['false', 'no', 'nein', 'falsch', '0']

const booleanOf = (text: string): unknown => {
  const word = text.toLowerCase()
  return yes.includes(word) ? true : no.includes(word) ? false : text
}

/** A moment as it is pasted: without an offset it is one of the user's zone, as it is shown. */
function momentOf(text: string): string {
  const isLocal = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(text)
  const moment = new Date(isLocal && text.length === 10 ? `${text}T00:00:00` : text.replace(' ', 'T'))
  return isLocal && !Number.isNaN(moment.getTime()) ? moment.toISOString() : text
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
    case 'dateTime':
      return momentOf(trimmed)
    case 'text':
    case 'longText':
      return text
    default:
      return trimmed
  }
}

const two = (value: number) => String(value).padStart(2, '0')

/** What an editor begins with. A moment is written in the user's zone, for the browser's own field. */
export function editedText(value: unknown, column: Column): string {
  const text = plainText(value)
  if (kindOf(column) !== 'dateTime' || text === '') return kindOf(column) === 'json' && text ? prettyJson(value) : text
  const moment = new Date(text)
  const day = `${String(moment.getFullYear()).padStart(4, '0')}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`
}

const prettyJson = (value: unknown) => JSON.stringify(value, null, 2)
