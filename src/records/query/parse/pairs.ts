import { invalidRequest } from '../../../errors'
import { translatable } from '../../../messages/message'
import { queryLimits } from './limits'
import { throwParameterProblem } from './problem'

/** Name and value of a parameter, decoded. */
export type Pair = readonly [name: string, value: string]

/** Quotes a name or a value, so that it has no other meaning in the grammar (docs/query-grammar.md). */
export const inQuotes = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`

/**
 * The parameters in order, decoded once; `+` is a space. A `%` that begins no escape sequence stays literal.
 * @param search with or without the leading `?`
 * @throws Failure invalid_request if it is too long, or contains NUL or invalid UTF-8
 */
export function* readPairs(search: string): Generator<Pair> {
  if (search.length > queryLimits.length) throwTooLong()
  const text = search.startsWith('?') ? search.slice(1) : search
  for (const part of text.split('&')) {
    if (part === '') continue
    const sign = part.indexOf('=')
    const name = decodeParameter(sign < 0 ? part : part.slice(0, sign), undefined)
    yield [name, sign < 0 ? '' : decodeParameter(part.slice(sign + 1), name)]
  }
}

/**
 * Parameters that did not come from a URL, with the same limits.
 * @throws Failure invalid_request like `readPairs`
 */
export function toPairs(parameters: Pair[]): Pair[] {
  const length = parameters.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (length > queryLimits.length) throwTooLong()
  for (const [name, value] of parameters) {
    if (name.includes('\0')) throw invalidRequest(translatable('The name of a query parameter {unreadable}', { unreadable }))
    if (value.includes('\0')) throwParameterProblem(name, unreadable)
  }
  return parameters
}

function throwTooLong(): never {
  throw invalidRequest(translatable('The query is longer than {count} characters.', { count: queryLimits.length }))
}

const unreadable = translatable('contains a NUL or bytes that are not UTF-8.')

/** @param parameter the parameter whose value the text is; undefined for a name */
function decodeParameter(text: string, parameter: string | undefined): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  const decoded = spaced.includes('%') ? decodePercents(spaced) : spaced
  if (decoded !== null && !decoded.includes('\0')) return decoded
  if (parameter === undefined) throw invalidRequest(translatable('The name of a query parameter {unreadable}', { unreadable }))
  throwParameterProblem(parameter, unreadable)
}

function decodePercents(text: string): string | null {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'))
  } catch {
    return null
  }
}
