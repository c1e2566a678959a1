import { parseNumbers, rawJson } from '../../exact-json'

/**
 * PostgreSQL's JSON → values. A number that JavaScript cannot hold becomes a text with all its digits; sent back, it is
 * the same number.
 */
export const valuesOf = (json: string): unknown => parseNumbers(json, (value, source) => (isExact(value, source) ? value : source))

/** Seventeen digits would do for some; fifteen do for all. */
const isExact = (value: number, source: string): boolean =>
  Number.isSafeInteger(value) || (!Number.isInteger(value) && source.replace(/[-.]|e.*$/gi, '').replace(/^0+/, '').length <= 15)

/** Values → the JSON that PostgreSQL reads. @throws TypeError for what is no JSON */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? rawJson(String(item)) : item))
  if (text === undefined) throw new TypeError('A record is an object.')
  return text
}
