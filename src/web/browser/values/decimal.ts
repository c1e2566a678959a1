import { readAmount } from '../../../tables/notation'
import { readDuration, shiftPoint, writeDuration } from '../../../tables/units'
import { locale } from '../language'

/** The decimal separator of the user's locale. */
export const decimalMark = (): string =>
  new Intl.NumberFormat(locale()).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'

const exponentPattern = /^([-+]?)(\d+)(?:[.,](\d+))?e([-+]?\d+)$/i

/**
 * Converts a number as people write it ("1,234.50", "$12", "5 %") to a JSON number without losing digits; null if it is
 * not a number. Text that is not a number with the locale's separator is read with the other one: "12,5" means the same
 * everywhere, and "1,234" depends on the locale.
 * @param mark see `decimalMark`
 * @param type of the column: "25" is 0.25 as a percent, and "1:30" is 5400 seconds as a duration
 */
export function toJsonNumber(typed: string, mark: string, type?: string): string | null {
  if (type === 'duration') return readDuration(typed)
  const number = readNumber(typed, mark)
  return number !== null && type === 'percent' && !typed.includes('%') ? shiftPoint(number, -2) : number
}

function readNumber(typed: string, mark: string): string | null {
  const [own, other] = mark === ',' ? (['comma', 'point'] as const) : (['point', 'comma'] as const)
  const [, sign, whole, fraction, exponent] = exponentPattern.exec(typed.trim()) ?? []
  const amount = whole
    ? `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}e${exponent}`
    : (readAmount(typed, own) ?? readAmount(typed, other))
  return amount?.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1') ?? null
}

/** The inverse: a number of the API as the user of this locale would type it, without thousands separators. */
export function toTypedNumber(text: string, mark: string, type?: string): string {
  if (type === 'duration') return writeDuration(text)
  const number = type === 'percent' && text !== '' ? `${shiftPoint(text, 2)}%` : text
  return mark === ',' ? number.replace(/^(-?\d*)\.(?=\d)/, '$1,') : number
}

/**
 * Rounds a JSON number to some decimal places, half away from zero as people and PostgreSQL do, with all its digits.
 * Null if there is nothing to round.
 */
export function roundDecimal(text: string, scale: number): string | null {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)\.(\d+)$/.exec(text) ?? []
  if (/^0*$/.test(fraction.slice(scale))) return null
  const kept = BigInt(whole + fraction.slice(0, scale)) + (fraction[scale]! >= '5' ? 1n : 0n)
  const digits = String(kept).padStart(scale + 1, '0')
  const rounded = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return kept === 0n ? rounded : sign + rounded
}
