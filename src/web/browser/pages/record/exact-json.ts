/** JSON that keeps the digits of numbers that JavaScript would shorten: such a number stands as an object that `JSON.stringify` writes as it came. */
type RawNumber = { rawJSON: string }
type Source = { source?: string }
type ExactJson = {
  parse: (text: string, reviver: (key: string, value: unknown, context?: Source) => unknown) => unknown
  rawJSON?: (text: string) => RawNumber
}

const json: ExactJson = JSON

/** A browser that does not tell the source of a number shows what it can hold. */
const exact = (_key: string, value: unknown, { source }: Source = {}) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? (json.rawJSON?.(source) ?? source) : value

export const parseExact = (text: string): unknown => json.parse(text, exact)

const isRaw = (value: unknown): value is RawNumber => typeof value === 'object' && value !== null && 'rawJSON' in value

/** A single value as its text, a number with all its digits. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isRaw(value)) return value.rawJSON
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
