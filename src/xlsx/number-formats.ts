import type { DateForm } from './serial-dates'

/**
 * How a cell shows its number: a date or time, with leading zeros (`digits`), in percent, with the sign of a currency,
 * with decimals even if it is whole, or as it is.
 */
export type CellForm = { date: DateForm } | { digits: number } | { percent: true } | { currency: string } | { decimal: true } | null

/** How the numbers of a column are displayed, if all of them are displayed alike. */
export type ColumnForm = DateForm | 'percent' | 'decimal' | `currency ${string}`

export function columnFormOf(form: CellForm): ColumnForm | null {
  if (form && 'date' in form) return form.date
  if (form && 'currency' in form) return `currency ${form.currency}`
  if (form && 'decimal' in form) return 'decimal'
  return form && 'percent' in form ? 'percent' : null
}

/** Formats that every program has without naming them (ECMA-376, 18.8.30), some for East Asia alone. */
const builtIn = new Map<number, DateForm>([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58].map((id) => [id, 'date'] as const),
  ...[18, 19, 20, 21, 32, 33, 45, 47].map((id) => [id, 'time'] as const),
  [22, 'dateTime'],
  [46, 'duration'],
])

/** `0%` and `0.00%`. */
const builtInPercents = [9, 10]

/** `0.00` and `#,##0.00`. */
const builtInDecimals = [2, 4]

/** @param codes the formats that the workbook names itself */
export function formOf(id: number, codes: ReadonlyMap<number, string>): CellForm {
  const code = codes.get(id)
  if (code !== undefined) return formOfCode(code)
  const date = builtIn.get(id)
  if (date) return { date }
  if (builtInDecimals.includes(id)) return { decimal: true }
  return builtInPercents.includes(id) ? { percent: true } : null
}

/** A dollar sign alone could be that of any country with dollars. */
const currencySign = /^((?!\$)\p{Sc}|US\$|EUR|USD|GBP|CHF|PLN|CZK|INR|JPY|SEK|NOK|DKK|Kč|zł|Fr\.?)$/u

/** Outside the brackets of a currency, other capitals may be a unit: `KGS` are kilograms, and som in Kyrgyzstan. */
const isCurrency = (sign: string, code: string): boolean =>
  currencySign.test(sign) || (/^[A-Z]{3}$/.test(sign) && code.includes(`[$${sign}`))

/** The sign beside the digits: `"€"`, `[$€-407]`, `[$CHF]`. */
function currencyOf(code: string): CellForm {
  const sign = code
    .replace(/\[\$([^\]-]*)-?([^\]]*)\]/g, (_, sign, country) => (sign === '$' && /^(409|en-US)$/i.test(country) ? 'US$' : sign))
    .replace(/\[[^\]]*\]|_.|\*.|["\\]/g, '')
    .split(';')[0]!
    .replace(/[\d#?.,\s()+-]/g, '')
  return isCurrency(sign, code) ? { currency: sign } : null
}

/** @param code such as `yyyy-mm-dd hh:mm` or `#,##0.00 "€"`; its first section, for positive numbers, decides */
export function formOfCode(code: string): CellForm {
  const bare = code.replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[(h+|m+|s+)\]/i.test(bare)) return { date: 'duration' }
  // Colours, conditions and countries are in brackets.
  const [section = ''] = bare.replace(/\[[^\]]*\]/g, '').split(';')
  if (/^0{2,}$/.test(section)) return { digits: section.length }
  if (/general/i.test(section)) return null
  if (/[0#?].*%|%.*[0#?]/.test(section)) return { percent: true }
  const hasTime = /[hs]/i.test(section)
  const hasDate = /[yd]/i.test(section) || (/m/i.test(section) && !hasTime)
  if (!hasDate && !hasTime) return currencyOf(code) ?? (/^[#,]*0\.0[0#]*$/.test(section) ? { decimal: true } : null)
  return { date: hasDate ? (hasTime ? 'dateTime' : 'date') : 'time' }
}
