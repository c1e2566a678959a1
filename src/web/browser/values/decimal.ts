import { locale } from '../language'

/** The decimal separator of the user's locale. */
export const decimalMark = (): string =>
  new Intl.NumberFormat(locale()).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'

/**
 * Converts input to a JSON number without losing digits; null if it is not a number. "1.234,5" is ambiguous, so the
 * service rejects it.
 * @param mark see `decimalMark`
 */
export function toJsonNumber(typed: string, mark: string): string | null {
  const bare = typed
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace('\u2212', '-')
    .replace(/^\+/, '')
  const plain = mark === ',' && !bare.includes('.') ? bare.replace(',', '.') : bare
  const whole = plain.replace(/^(-?)0+(?=\d)/, '$1').replace(/^(-?)\./, '$10.')
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(whole) ? whole : null
}
