/**
 * JSON that keeps all digits of numbers: a number that JavaScript would round is an object that `JSON.stringify` writes
 * unchanged.
 */
type RawNumber = { rawJSON: string }

declare global {
  interface JSON {
    rawJSON?: (text: string) => RawNumber
    isRawJSON?: (value: unknown) => value is RawNumber
  }
}

/**
 * A number with all its digits. Browsers without `JSON.rawJSON` use a string, which the service accepts as a number.
 * @param text a JSON number
 */
export const exactNumber = (text: string): unknown => (String(Number(text)) === text ? Number(text) : (JSON.rawJSON?.(text) ?? text))

const reviver = (_key: string, value: unknown, context?: { source?: string }) =>
  typeof value === 'number' && context?.source !== undefined ? exactNumber(context.source) : value

/** @throws SyntaxError */
export const parseExact = (text: string): unknown => JSON.parse(text, reviver as (key: string, value: unknown) => unknown)

/** The text of a single value, with all digits of a number; '' for null. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (JSON.isRawJSON?.(value)) return value.rawJSON
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
