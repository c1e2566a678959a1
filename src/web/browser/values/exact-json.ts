/** JSON that keeps the digits of numbers that JavaScript would shorten: such a number stands as an object that `JSON.stringify` writes as it came. */
type RawNumber = { rawJSON: string }

declare global {
  interface JSON {
    rawJSON?: (text: string) => RawNumber
    isRawJSON?: (value: unknown) => value is RawNumber
  }
}

/** A number with all its digits. A browser that knows none sends the text, which the service takes for the number. @param text a JSON number */
export const exactNumber = (text: string): unknown => (String(Number(text)) === text ? Number(text) : (JSON.rawJSON?.(text) ?? text))

const reviver = (_key: string, value: unknown, context?: { source?: string }) =>
  typeof value === 'number' && context?.source !== undefined ? exactNumber(context.source) : value

/** @throws SyntaxError */
export const parseExact = (text: string): unknown => JSON.parse(text, reviver as (key: string, value: unknown) => unknown)

/** A single value as its text, a number with all its digits. Nothing is ''. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (JSON.isRawJSON?.(value)) return value.rawJSON
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
