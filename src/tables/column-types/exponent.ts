/** PostgreSQL writes numbers without exponents: five letters could ask for a hundred thousand digits in every answer. */
const mostExponent = 400

export const isHugeExponent = (digits: string): boolean => Math.abs(Number(digits)) > mostExponent

/** The rest of a sentence that begins with the number. */
export const hugeExponent = `has an exponent beyond ${mostExponent}`

/** @param text valid JSON, as it was sent: JavaScript reads 1e-999 as 0, and PostgreSQL does not */
export function hasHugeExponent(text: string): boolean {
  if (!/\de[+-]?\d{3}/i.test(text)) return false
  // Without escapes, each quotation mark begins or ends a string: every other piece stands outside of all strings.
  const pieces = text.replaceAll(/\\./g, '').split('"')
  return pieces.some((piece, index) => index % 2 === 0 && piece.matchAll(/\de([+-]?\d+)/gi).some(([, digits]) => isHugeExponent(digits!)))
}
