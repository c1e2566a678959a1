/** ECMA-262, "JSON.parse source text access", which TypeScript does not know yet. */
type ExactJson = {
  parse: (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown
  rawJSON: (text: string) => unknown
}

const exact = JSON as unknown as ExactJson

/** Parses JSON. `read` gets each number both as JavaScript holds it and as it is written. */
export const parseNumbers = (text: string, read: (value: number, source: string) => unknown): unknown =>
  exact.parse(text, (_key, value, { source = '' }) => (typeof value === 'number' ? read(value, source) : value))

/** A value that `JSON.stringify` writes unchanged. */
export const rawJson = (text: string): unknown => exact.rawJSON(text)

/** JSON text → a value that `JSON.stringify` writes with every digit it had. */
export const exactJson = (text: string): unknown => parseNumbers(text, (_value, source) => rawJson(source))

const number = /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i

/** The canonical form of a number: its sign, its digits without zeros around them, and their power of ten. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = number.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/(?<!0)0+$/, '')
  if (significant === '') return '0'
  return `${sign === '-' ? '-' : ''}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`
}

/** Whether JavaScript keeps every digit of a decimal number, so that it is written as the same number again. */
export const keepsDigits = (value: number, source: string): boolean => {
  const text = String(value)
  return text === source || canonical(text) === canonical(source)
}
