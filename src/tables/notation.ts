/** The order of day, month and year in a numeric date. */
export const dateOrders = ['dmy', 'mdy', 'ymd'] as const
export type DateOrder = (typeof dateOrders)[number]

export const decimalMarks = ['point', 'comma'] as const
export type DecimalMark = (typeof decimalMarks)[number]

/** How a file writes dates and numbers. If one is omitted, only ISO dates or plain numbers are accepted. */
export type Notation = { dates?: DateOrder; decimals?: DecimalMark }

/** The notation that the cells show. `ambiguous` lists the parts that they leave open: `01/02/2026`, `1,234`. */
export type NotationGuess = Notation & { ambiguous: (keyof Notation)[] }

/** The text that may precede or follow an amount, as a pattern that JavaScript and PostgreSQL read alike. */
export const currencyPattern =
  '(?:[A-Z]{1,3}[$]|[$][A-Z]{2}|[$€£¥₹₽₺₩₪฿₫₴₦¢]|kr[.]?|Kč|zł|Ft|lei|Fr[.]?|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|INR|BRL|MXN|CAD|AUD|NZD|ZAR|KRW|SGD|HKD|ILS|RUB|UAH|THB)'

/** Signs that mean a single currency. `kr` and `¥` may mean several, and so may some dollar signs. */
const currencies: [sign: RegExp, code: string][] = [
  [/€|EUR/, 'EUR'],
  [/US[$]|USD|^[^A-Z]*[$][^A-Z]*$/, 'USD'],
  [/£|GBP/, 'GBP'],
  [/CHF|Fr[.]?/, 'CHF'],
  [/zł|PLN/, 'PLN'],
  [/Kč|CZK/, 'CZK'],
  [/₹|INR/, 'INR'],
  [/JPY/, 'JPY'],
  [/SEK/, 'SEK'],
  [/NOK/, 'NOK'],
  [/DKK/, 'DKK'],
]

/** The code of an amount's currency; undefined if it has none, or a sign that several currencies share. */
export const currencyIn = (text: string): string | undefined => currencies.find(([sign]) => sign.test(text))?.[1]

const currencySign = new RegExp(currencyPattern)

/** The currency sign of an amount; undefined if it has none. */
export const currencySignIn = (text: string): string | undefined => currencySign.exec(text)?.[0]

const escaped = { point: '[.]', comma: ',' } as const
const blank = '[ \\t\\u00a0\\u202f\\u2009]'

/** The patterns try every way to divide a run of blanks, and treat longer runs like two blanks. */
const longBlanks = new RegExp(`${blank}{3,}`, 'g')

const amountPatterns = Object.fromEntries(
  decimalMarks.map((mark) => {
    const other = escaped[mark === 'point' ? 'comma' : 'point']
    const byHundreds = mark === 'point' ? '|[1-9]\\d?(?:,\\d{2})+,\\d{3}' : ''
    const groups = `[1-9]\\d{0,2}(?:(?<mark>${other}|${blank}|['’])\\d{3})(?:\\k<mark>\\d{3})*${byHundreds}`
    const digits = `(?<whole>${groups}|\\d*)(?:${escaped[mark]}(?<fraction>\\d+))?`
    const before = `${blank}*(?<bracket>[(])?(?<first>[-+\u2212])?${blank}*(?:(?<percent>%)|${currencyPattern})?${blank}*(?<second>[-+\u2212])?`
    return [mark, new RegExp(`^${before}${digits}${blank}*(?<unit>%|${currencyPattern})?${blank}*[)]?${blank}*$`)]
  }),
) as Record<DecimalMark, RegExp>

/**
 * An amount as people write it, with thousands separators, a currency or a percent sign → all its digits with a point;
 * null for any other text. 5 % is 0.05.
 */
export function readAmount(text: string, mark: DecimalMark): string | null {
  const groups = amountPatterns[mark].exec(text.replace(longBlanks, '  '))?.groups ?? {}
  const { whole = '', fraction = '', bracket, first, second, percent, unit } = groups
  if (whole + fraction === '') return null
  const sign = bracket || [first, second].some((one) => one === '-' || one === '\u2212') ? '-' : (first ?? second ?? '')
  const digits = whole.replace(/\D/g, '')
  if (unit !== '%' && !percent) return `${sign}${digits || '0'}${fraction && `.${fraction}`}`
  const padded = digits.padStart(3, '0')
  const behind = (padded.slice(-2) + fraction).replace(/(?<!0)0+$/, '')
  return `${sign}${padded.slice(0, -2).replace(/^0+(?=\d)/, '')}${behind && `.${behind}`}`
}

const datePatterns: Record<DateOrder, RegExp> = {
  dmy: /^\s*(?<day>\d{1,2})(?<mark>[-./])(?<month>\d{1,2})\k<mark>(?<year>\d{4}|\d\d)(?!\d)(?<time>[ ,T].*)?$/,
  mdy: /^\s*(?<month>\d{1,2})(?<mark>[-./])(?<day>\d{1,2})\k<mark>(?<year>\d{4}|\d\d)(?!\d)(?<time>[ ,T].*)?$/,
  ymd: /^\s*(?<year>\d{4})(?<mark>[-./])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?!\d)(?<time>[ ,T].*)?$/,
}

/** Two digits mean 1930 to 2029, as in spreadsheets. */
const longYear = (year: string): string => (year.length === 4 ? year : `${Number(year) < 30 ? '20' : '19'}${year}`)

/** A numeric date, with or without a time after it → the same in ISO order; null for any other text. */
export function readDate(text: string, order: DateOrder): string | null {
  if (/^\d{4}-\d\d-\d\d(?!\d)/.test(text)) return text
  const found = datePatterns[order].exec(text) ?? datePatterns.ymd.exec(text)
  const { day = '', month = '', year = '', time = '' } = found?.groups ?? {}
  if (!found || Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return null
  const clock = time.replace(/^[ ,T]+/, '').trim()
  const isMidnight = /^0?0:00(:00([.]0+)?)?$/.test(clock)
  return `${longYear(year)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${clock === '' || isMidnight ? '' : ` ${clock}`}`
}

/**
 * Guesses how a file writes dates and numbers from the cells that only one notation can read. A column counts if most
 * of its cells are dates or numbers.
 * @param columns the cells of the first records, by column, including empty ones
 */
export function guessNotation(columns: readonly (readonly string[])[]): NotationGuess {
  const filled = columns.map((column) => column.filter((cell) => cell.trim() !== ''))
  const dates = weigh(filled, dateOrders, readDate)
  const numbers = weigh(filled, decimalMarks, readAmount)
  return {
    ...(dates.only ? { dates: dates.only } : {}),
    ...(numbers.only ? { decimals: numbers.only } : {}),
    ambiguous: [...(dates.isAmbiguous ? (['dates'] as const) : []), ...(numbers.isAmbiguous ? (['decimals'] as const) : [])],
  }
}

type WeighedNotation<Name> = { only: Name | null; isAmbiguous: boolean }

function weigh<Name extends string>(
  columns: readonly (readonly string[])[],
  names: readonly Name[],
  read: (cell: string, name: Name) => string | null,
): WeighedNotation<Name> {
  const certain = new Set<Name>()
  let common: Name | null = null
  let isOpen = false
  const readable = columns.flatMap((cells) => {
    const found = cells.filter((cell) => names.some((name) => read(cell, name) !== null))
    return found.length > cells.length / 2 ? found : []
  })
  for (const cell of readable) {
    // With points, the day comes first everywhere.
    const options = names.filter((name) => read(cell, name) !== null && !(name === 'mdy' && cell.includes('.')))
    const values = new Set(options.map((name) => read(cell, name)))
    if (options.length === 1) certain.add(options[0]!)
    else if (values.size > 1) isOpen = true
    else if (!values.has(cell)) common ??= options[0]!
  }
  const [first, ...others] = certain
  const only = others.length ? null : (first ?? (isOpen ? null : common))
  const isNeeded = readable.some((cell) => only === null || read(cell, only) !== cell)
  return { only: isNeeded ? only : null, isAmbiguous: others.length > 0 || (first === undefined && isOpen) }
}
