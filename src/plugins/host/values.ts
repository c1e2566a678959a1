import { keepsDigits, parseNumbers, rawJson } from '../../exact-json'

/**
 * Reads PostgreSQL's JSON into values. A number that JavaScript cannot hold exactly becomes a text with all its digits;
 * sent back, it is the same number.
 */
export const valuesOf = (json: string): unknown => parseNumbers(json, (value, source) => (isExact(value, source) ? value : source))

/** Larger integers stay texts, even those that happen to be exact, because JavaScript cannot increment them exactly. */
const isExact = (value: number, source: string): boolean =>
  (Number.isSafeInteger(value) || !Number.isInteger(value)) && keepsDigits(value, source)

/** Writes values as JSON for PostgreSQL. @throws TypeError for a value that JSON does not have */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? rawJson(String(item)) : item))
  if (text === undefined) throw new TypeError('A record is an object.')
  return text
}
