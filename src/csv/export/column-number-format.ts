import { decimalsOf, separatesThousands } from '../../tables/column-types/descriptors'
import { currencyIn } from '../../tables/notation'

/** A spreadsheet shows at most 30 decimal places, and counts with 15 digits. */
const maxDecimals = 15

/**
 * The number format of a workbook (ECMA-376, 18.8.31) for the numbers of a column, with the decimals and the currency
 * that the grid shows; null for numbers with all their digits, which have no format.
 */
export function columnNumberFormat(type: string, options: Record<string, unknown>): string | null {
  const decimals = decimalsOf(options)
  if (type === 'percent') return `${digits(decimals ?? 2)}%`
  const scale = typeof options.scale === 'number' ? options.scale : undefined
  const whole = (typeof options.thousands === 'boolean' ? options.thousands : separatesThousands(type)) ? '#,##0' : '0'
  const { currency } = options
  if (typeof currency !== 'string' && type !== 'currency') {
    const places = decimals ?? scale
    return places === undefined ? (options.thousands === true ? whole : null) : digits(places, places, whole)
  }
  const least = decimals ?? (typeof currency === 'string' ? currencyDecimals(currency) : 2)
  // Without decimals, a format of optional ones would end 5 in a decimal point.
  const most = decimals ?? (least === 0 ? 0 : (scale ?? maxDecimals))
  const amount = digits(least, most, whole)
  return typeof currency === 'string' ? withCurrency(amount, currency) : amount
}

/** Digits with `least` decimals always, and up to `most` where a number has them. */
function digits(least: number, most = least, whole = '0'): string {
  const places = '0'.repeat(Math.min(least, maxDecimals)).padEnd(Math.min(most, maxDecimals), '#')
  return places === '' ? whole : `${whole}.${places}`
}

/** A sign that means this currency alone, or else its code. A bare `$` is taken for that of any country. */
function withCurrency(amount: string, currency: string): string {
  const sign = formatIn(currency)
    .formatToParts(0)
    .find(({ type }) => type === 'currency')!.value
  if (sign === '$') return `[$$-409]${amount}`
  return `${amount} "${currencyIn(sign) === currency ? sign : currency}"`
}

const currencyDecimals = (currency: string): number => formatIn(currency).resolvedOptions().maximumFractionDigits ?? 2

const formatIn = (currency: string) => new Intl.NumberFormat('en-US', { style: 'currency', currency })
