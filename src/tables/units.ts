/** Multiplies a JSON number by a power of ten, with all its digits. */
export function shiftPoint(text: string, places: number): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text) ?? []
  if (whole === undefined) return text
  const shift = Number(exponent) + places
  if (Math.abs(shift) > maxShift) return `${sign}${whole}${fraction && `.${fraction}`}e${shift}`
  const digits = (shift < 0 ? whole.padStart(1 - shift, '0') : whole) + fraction.padEnd(Math.max(shift, 0), '0')
  const point = Math.max(whole.length, 1 - shift) + shift
  const behind = digits.slice(point).replace(/(?<!0)0+$/, '')
  return `${sign}${digits.slice(0, point).replace(/^0+(?=\d)/, '')}${behind && `.${behind}`}`
}

/** Numbers with larger exponents keep them. */
const maxShift = 40

const unitSeconds: Record<string, number> = { h: 3600, m: 60, s: 1 }

/**
 * Converts a duration as people write it to whole seconds: `1:30`, `1:30:00`, `1h 30m` and `90` are an hour and a half,
 * since a number alone means minutes. Null if the text is not a duration.
 */
export function readDuration(typed: string): string | null {
  const text = typed.trim().toLowerCase().replace('\u2212', '-')
  const sign = text.startsWith('-') ? '-' : ''
  const amount = text.replace(/^[-+]\s*/, '')
  const [, hours, minutes, seconds = '0'] = /^(\d{1,9}):([0-5]?\d)(?::([0-5]?\d))?$/.exec(amount) ?? []
  const [, plainMinutes] = /^(\d{1,12})$/.exec(amount) ?? []
  const parts = [...amount.matchAll(/(\d{1,12}(?:[.,]\d{1,3})?)\s*(h|m|s)[a-z]*\.?\s*/g)]
  const total =
    hours !== undefined
      ? Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
      : plainMinutes !== undefined
        ? Number(plainMinutes) * 60
        : parts.length > 0 && parts.map(([part]) => part).join('') === amount
          ? parts.reduce((sum, [, count, unit]) => sum + Number(count!.replace(',', '.')) * unitSeconds[unit!]!, 0)
          : null
  if (total === null || !Number.isSafeInteger(Math.round(total))) return null
  return `${total === 0 ? '' : sign}${Math.round(total)}`
}

/** Writes seconds as `1:30:00`, and returns any other text unchanged. */
export function writeDuration(seconds: string): string {
  const [, sign, amount] = /^(-?)(\d{1,15}(?:\.\d+)?)$/.exec(seconds) ?? []
  if (amount === undefined) return seconds
  const total = Math.round(Number(amount))
  const twoDigits = (part: number) => String(part).padStart(2, '0')
  return `${sign}${Math.floor(total / 3600)}:${twoDigits(Math.floor(total / 60) % 60)}:${twoDigits(total % 60)}`
}
