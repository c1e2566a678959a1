import { translatable } from '../../../../messages/message'
import { problemAtOffset } from '../tokens'
import { type FormulaValue, settled, toNumberValue, wrongType } from '../value'

/** The call of a function: its results and problems refer to it. */
export type FunctionCall = { name: string; at: number }

/** `min` and `max` limit the number of its arguments. */
export type FormulaFunction = {
  min: number
  max: number
  /** Whether its arguments may be columns of several values. */
  takesLists?: true
  make: (args: FormulaValue[], call: FunctionCall) => FormulaValue
}

/**
 * SQL of a whole number from `least` to `most`: null for a smaller one, and `most` for a larger one.
 * @throws FormulaProblem
 */
export function wholeNumber(given: FormulaValue, name: string, least: number, most: number): string {
  const number = toNumberValue(given, name)
  if (number.constant !== undefined) {
    const whole = Math.trunc(Number(number.constant))
    return whole < least ? 'cast(null as integer)' : String(Math.min(whole, most))
  }
  const sql = settled(number, number.filled)
  return `cast(trunc(case when ${sql} >= ${least} then least(${sql}, ${most}) end) as integer)`
}

/**
 * SQL of a whole number from `-most` to `most`, as `numeric`; null for any other.
 * @throws FormulaProblem
 */
export function boundedNumber(given: FormulaValue, name: string, most: number): string {
  const number = toNumberValue(given, name)
  if (number.constant !== undefined) {
    const whole = Math.trunc(Number(number.constant))
    return Math.abs(whole) <= most ? `cast(${whole} as numeric)` : 'cast(null as numeric)'
  }
  const sql = settled(number, number.filled)
  return `trunc(case when abs(${sql}) <= ${most} then ${sql} end)`
}

/** One of the words that an argument may be, whatever its case. @throws FormulaProblem */
export function wordOf<Word extends string>(given: FormulaValue, words: Readonly<Record<string, Word>>, call: FunctionCall): Word {
  const { constant, type } = given
  // Objects inherit properties such as "constructor", which are not words.
  const wordAt = (key: string) => (Object.hasOwn(words, key) ? words[key] : undefined)
  const found = type === 'text' && constant !== undefined ? (wordAt(constant) ?? wordAt(constant.toLowerCase())) : undefined
  if (found !== undefined) return found
  const choices = [...new Set(Object.values(words))].map((word) => `"${word}"`).join(', ')
  throw problemAtOffset(
    translatable('gives "{name}" a word that it does not know; it takes {known}', { name: call.name, known: choices }),
    given,
  )
}

/** The text of an argument that must not depend on a record. @throws FormulaProblem */
export function constantText(given: FormulaValue, { name }: FunctionCall): string {
  if (given.constant === undefined)
    throw problemAtOffset(translatable('needs a text in quotation marks here for "{name}"', { name }), given)
  if (given.type !== 'text') throw wrongType(given, 'text', name)
  return given.constant
}

/** The whole number of an argument that must not depend on a record. @throws FormulaProblem */
export function constantNumber(given: FormulaValue, { name }: FunctionCall, most: number): number {
  const number = given.type === 'number' && given.constant !== undefined ? Number(given.constant) : Number.NaN
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw problemAtOffset(translatable('needs a whole number from 1 to {most} here for "{name}"', { name, most }), given)
}
