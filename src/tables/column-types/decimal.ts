import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'
import { hugeExponent, isHugeExponent } from './exponent'

type DecimalOptions = { precision?: number; scale?: number }

export const decimal: ColumnTypeDefinition = {
  description: 'Exact decimal number. precision: digits in all; scale: digits behind the point. Without them any number of digits is kept.',
  options: t.Object(
    { precision: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })), scale: t.Optional(t.Integer({ minimum: 0, maximum: 1000 })) },
    { additionalProperties: false },
  ),
  sqlType: (options) => {
    const { precision, scale } = options as DecimalOptions
    return precision === undefined ? 'numeric' : `numeric(${precision}, ${Math.min(scale ?? 0, precision)})`
  },
  problem: (value, options) => {
    if (typeof value === 'number' && !Number.isFinite(value)) return 'is too large for a JSON number; send it as a string'
    const [, whole, fraction = '', exponent = '0'] = /^-?(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,9}))?$/i.exec(textOf(value)) ?? []
    if (whole === undefined || whole + fraction === '') return 'must be a number'
    if (isHugeExponent(exponent)) return hugeExponent
    const { precision, scale = 0 } = options as DecimalOptions
    const room = precision === undefined ? 1000 : precision - scale
    return wholeDigits(whole, fraction, Number(exponent), precision) > room ? `must have at most ${room} digits before the point` : null
  },
}

const textOf = (value: unknown): string => (typeof value === 'number' || typeof value === 'string' ? String(value) : '')

/** How many digits stand before the point, once the number is rounded to `precision` digits; 0 or less for what is below 1. */
function wholeDigits(whole: string, fraction: string, exponent: number, precision = Number.POSITIVE_INFINITY): number {
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0
  const before = digits.length - fraction.length + exponent
  const isCarried = digits.length > precision && /^9*$/.test(digits.slice(0, precision)) && digits[precision]! >= '5'
  return isCarried ? before + 1 : before
}
