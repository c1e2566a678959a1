import { currencyDecimals, decimalsOf, separatesThousands } from '../../tables/column-types/descriptors'
import { currencyIn } from '../../tables/notation'

/** A spreadsheet shows at most 30 decimal places, and calculates with 15 digits. */
const maxDecimals = 15

/**
 * The number formats of a workbook (ECMA-376, 18.8.31) for the numbers of a column, with the decimals, the thousands
 * and the currency that the grid shows: the first for numbers without decimals, the next for those with one, and so on.
 * A single format with optional decimals would show 5 with a trailing decimal point. Null if the numbers have no
 * format.
 */
export function columnNumberFormats(type: string, options: Record<string, unknown>): string[] | null {
  const formatOf = numberFormat(type, options)
  return formatOf && Array.from({ length: maxDecimals + 1 }, (_, decimals) => formatOf(decimals))
}

/** The format for numbers with this many decimals. */
function numberFormat(type: string, options: Record<string, unknown>): ((decimals: number) => string) | null {
  const { currency } = options
  const fixed = decimalsOf(options)
  // A hundredth is one percent.
  if (type === 'percent') return (decimals) => `${digits(fixed ?? Math.max(0, decimals - 2))}%`
  const whole = (typeof options.thousands === 'boolean' ? options.thousands : separatesThousands(type)) ? '#,##0' : '0'
  const scale = typeof options.scale === 'number' ? options.scale : undefined
  if (typeof currency === 'string') {
    const least = currencyDecimals(currency)
    return (decimals) => withCurrency(digits(fixed ?? Math.max(least, scale ?? decimals), whole), currency)
  }
  if (type === 'currency') return (decimals) => digits(fixed ?? Math.max(2, scale ?? decimals), whole)
  const isPlain = fixed === undefined && scale === undefined && options.thousands !== true
  return isPlain ? null : (decimals) => digits(fixed ?? scale ?? decimals, whole)
}

function digits(decimals: number, whole = '0'): string {
  return decimals === 0 ? whole : `${whole}.${'0'.repeat(Math.min(decimals, maxDecimals))}`
}

/** A sign that means this currency alone, or else its code. A bare `$` could be the dollar of any country. */
function withCurrency(amount: string, currency: string): string {
  const sign = new Intl.NumberFormat('en-US', { style: 'currency', currency })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')!.value
  if (sign === '$') return `[$$-409]${amount}`
  return currencyIn(sign) === currency ? `${amount} "${sign}"` : `${amount} [$${currency}]`
}
