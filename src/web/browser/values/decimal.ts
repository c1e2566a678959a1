import { locale } from '../language'

/** What stands before the digits behind the point, as the browser's user writes numbers. */
export const decimalMark = (): string =>
  new Intl.NumberFormat(locale()).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'

/**
 * What was typed as a JSON number, digit for digit; null when it is none: "1.234,5" could be two, and is for the service to refuse.
 * @param mark as `decimalMark`
 */
export function numberText(typed: string, mark: string): string | null {
  const bare = typed
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace('\u2212', '-')
    .replace(/^\+/, '')
  const plain = mark === ',' && !bare.includes('.') ? bare.replace(',', '.') : bare
  const whole = plain.replace(/^(-?)0+(?=\d)/, '$1').replace(/^(-?)\./, '$10.')
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(whole) ? whole : null
}
