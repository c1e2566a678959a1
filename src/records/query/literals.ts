import { type Message, translatable } from '../../messages/message'
import { textProblem } from '../../tables/column-types/text'
import { familyOf } from './type-families'

/** 2^(bits-1) - 1 for PostgreSQL's integer types. */
const largest: Record<string, bigint> = {
  smallint: 2n ** 15n - 1n,
  int2: 2n ** 15n - 1n,
  integer: 2n ** 31n - 1n,
  int: 2n ** 31n - 1n,
  int4: 2n ** 31n - 1n,
  bigint: 2n ** 63n - 1n,
  int8: 2n ** 63n - 1n,
}

const longestNumber = 1000

/**
 * The problem with the text of a value to compare with; null if it is valid, or only PostgreSQL can tell (timestamps,
 * ranges, arrays …). More lenient than for a value to store, since PostgreSQL is: ` 5`, `yes`, a UUID in braces.
 */
export function literalProblem(type: string, text: string): Message | null {
  const broken = textProblem(text)
  if (broken) return broken
  const most = largest[type]
  if (most !== undefined) return wholeProblem(text, most)
  const family = familyOf(type)
  if (family === 'number') return isNumber(text) ? null : translatable('must be a number')
  if (family === 'boolean')
    return /^\s*(t|tr|tru|true|f|fa|fal|fals|false|y|ye|yes|n|no|on|of|off|1|0)\s*$/i.test(text)
      ? null
      : translatable('must be true or false')
  if (family === 'uuid') return /^\{?([0-9a-f]{4}-?){8}\}?$/i.test(text) ? null : translatable('must be a UUID')
  if (family === 'json') return isJson(text) ? null : translatable('must be JSON')
  return null
}

function wholeProblem(text: string, most: bigint): Message | null {
  if (!/^\s*[+-]?\d{1,30}\s*$/.test(text)) return translatable('must be a whole number')
  const number = BigInt(text.trim().replace('+', ''))
  return number > most || number < -most - 1n ? translatable('must be from {least} to {most}', { least: -most - 1n, most }) : null
}

const isNumber = (text: string) =>
  text.length <= longestNumber && /^\s*[+-]?(\d+\.?\d*(e[+-]?\d{1,3})?|\.\d+(e[+-]?\d{1,3})?|nan|inf|infinity)\s*$/i.test(text)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A LIKE pattern that finds the literal text anywhere. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
