import { locale } from '../../../language'
import { formatDate, formatTimeOfDay, formatTimestamp } from '../../../values/format'
import { cellKind, singleColumn } from '../data/cell-kinds'
import { type GridColumn, toPlainText } from '../data/cell-values'

const formats = new Map<string, Intl.NumberFormat>()

/** A format with exactly as many decimals as the number: nothing is rounded. */
function numberFormat(digits: number, currency?: string): Intl.NumberFormat {
  const key = `${locale()} ${digits} ${currency}`
  // `min2` omits the separator in four-digit numbers, such as years.
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(locale(), {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      ...(currency ? { style: 'currency', currency } : { useGrouping: 'min2' }),
    })
  formats.set(key, format)
  return format
}

/** The decimal places that amounts of a currency have. */
const currencyDigits = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/** Formats a number with all its digits in the user's locale, an amount with at least those of its currency. */
function formatDigits(text: string, currency?: string): string {
  const [, fraction = ''] = /^-?\d+(?:\.(\d+))?$/.exec(text) ?? []
  const isPlain = /^-?\d+(\.\d+)?$/.test(text) && fraction.length <= 100
  const digits = currency ? Math.max(fraction.length, currencyDigits(currency)) : fraction.length
  return isPlain ? numberFormat(digits, currency).format(text as Intl.StringNumericLiteral) : text
}

type Words = { yes: string; no: string }

/** The display text of a value. */
export function displayText(value: unknown, column: GridColumn, words: Words): string {
  if (column.options.isMany && Array.isArray(value)) return value.map((each) => displayText(each, singleColumn(column), words)).join(', ')
  const text = toPlainText(value)
  if (text === '') return ''
  switch (cellKind(column)) {
    case 'boolean':
      return value === true ? words.yes : words.no
    case 'number':
      // A number that identifies something is not grouped.
      return column.type === 'autoNumber' || column.name === 'id' ? text : formatDigits(text, column.options.currency as string | undefined)
    case 'date':
      // A date has no time zone, so it is parsed as a local one.
      return /^\d{4}-\d\d-\d\d$/.test(text) ? formatDate(`${text}T00:00:00`) : text
    case 'time':
      return formatTimeOfDay(text)
    case 'json':
      return JSON.stringify(value)
    case 'dateTime':
      return Number.isNaN(Date.parse(text)) ? text : formatTimestamp(text)
    default:
      return text
  }
}
