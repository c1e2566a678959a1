import { roundDecimal } from './decimal'

type Statistics = { count: number; sum: string; average: string; min: string; max: string }

/** A decimal number as an integer: its digits without the point. */
type Scaled = { digits: bigint; scale: number }

/** @returns null for text other than a plain decimal number, such as `1e21` or `NaN` */
function toScaled(text: string): Scaled | null {
  const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? []
  return whole === undefined ? null : { digits: BigInt(whole + fraction), scale: fraction.length }
}

const digitsAt = ({ digits, scale }: Scaled, wanted: number): bigint => digits * 10n ** BigInt(wanted - scale)

function toDecimal({ digits, scale }: Scaled): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const [whole, fraction] = [text.slice(0, text.length - scale), text.slice(text.length - scale)]
  return `${digits < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

const isLess = (one: Scaled, other: Scaled): boolean => {
  const scale = Math.max(one.scale, other.scale)
  return digitsAt(one, scale) < digitsAt(other, scale)
}

/** The number of decimal places that an average has in addition to those of its numbers. */
const averagePlaces = 2

/** Adds decimal numbers with all their digits. */
export class DecimalSum {
  count = 0
  private sum: Scaled = { digits: 0n, scale: 0 }
  private min: Scaled | null = null
  private max: Scaled | null = null

  /** @param text a JSON number; ignored if it is not a plain decimal number */
  add(text: string) {
    this.addGroup({ count: 1, sum: text, min: text, max: text })
  }

  /** Adds the statistics of several numbers. */
  addGroup({ count, ...texts }: Omit<Statistics, 'average'>) {
    const [sum, min, max] = [toScaled(texts.sum), toScaled(texts.min), toScaled(texts.max)]
    if (!sum || !min || !max) return
    const scale = Math.max(sum.scale, this.sum.scale)
    this.sum = { digits: digitsAt(this.sum, scale) + digitsAt(sum, scale), scale }
    this.count += count
    if (!this.min || isLess(min, this.min)) this.min = min
    if (!this.max || isLess(this.max, max)) this.max = max
  }

  /** @returns null without numbers */
  get statistics(): Statistics | null {
    if (!this.min || !this.max) return null
    const { sum, count } = this
    // One more place than is shown, for rounding.
    const scale = sum.scale + averagePlaces
    const quotient = toDecimal({ digits: digitsAt(sum, scale + 1) / BigInt(count), scale: scale + 1 })
    return {
      count,
      sum: toDecimal(sum),
      average: withoutZeros(roundDecimal(quotient, scale) ?? quotient, sum.scale),
      min: toDecimal(this.min),
      max: toDecimal(this.max),
    }
  }
}

/** Rounds an average to some places beyond those of its numbers. @param text a JSON number */
export function roundAverage(text: string, places: number): string {
  return withoutZeros(roundDecimal(text, places + averagePlaces) ?? text, places)
}

/** Removes trailing zeros beyond some decimal places. */
function withoutZeros(text: string, places: number): string {
  const [whole = '', fraction = ''] = text.split('.')
  const kept = fraction.slice(0, places) + fraction.slice(places).replace(/0+$/, '')
  return kept ? `${whole}.${kept}` : whole
}
