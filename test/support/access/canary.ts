/** Unique values: each cell has its own, so a response that contains one reveals which cell it shows. */
let count = 0

/** A number without a pattern, the same in each run. */
const scattered = (place: number) => (place * 7_919_317 + 104_729) % 46_656_000

export const canaryText = (): string => `Zq${scattered(++count).toString(36).padStart(5, '0')}${count.toString(36).padStart(3, '0')}`

/** It has nine digits, so that no other number contains it by chance. */
export const canaryNumber = (): number => 710_000_000 + (scattered(++count) % 280_000) * 1009 + (count % 997)

const text = /Zq[0-9a-z]{8,}/g
const numeral = /^\d{9,10}$/

/** The canaries in a value of a cell, or in a list of values. */
export function canariesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(canariesIn)
  if (value !== null && typeof value === 'object') return Object.values(value).flatMap(canariesIn)
  if (typeof value === 'number') return numeral.test(String(value)) && value >= 710_000_000 ? [String(value)] : []
  return typeof value === 'string' ? (value.match(text) ?? []) : []
}
