import { currencyDecimals, decimalsOf, separatesThousands, valueType } from '../../../../tables/column-types/descriptors'
import { writeDuration } from '../../../../tables/units'
import { locale } from '../../language'
import { formatDate, formatTimeOfDay, formatTimestamp } from '../../values/format'
import { cellKind, singleColumn } from './cell-kinds'
import { type GridColumn, toPlainText } from './cell-values'

const formats = new Map<string, Intl.NumberFormat>()

type Style = Pick<Intl.NumberFormatOptions, 'style' | 'currency' | 'useGrouping'>

/** A format with exactly as many decimals as given. */
function numberFormat(digits: number, style: Style): Intl.NumberFormat {
  const key = `${locale()} ${digits} ${style.currency ?? style.style} ${style.useGrouping}`
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: 'negative', ...style })
  formats.set(key, format)
  return format
}

/**
 * Formats a number in the user's locale, with the decimal places that its column prescribes, or else with all its
 * digits. An amount then has at least the decimal places of its currency, or two if it has no currency.
 */
function formatDigits(text: string, type: string, options: GridColumn['options']): string {
  const decimals = decimalsOf(options)
  const [plain, fraction = '', exponent] = /^-?\d+(?:\.(\d+))?(e-\d+)?$/.exec(text) ?? []
  if (plain === undefined || (decimals === undefined && (exponent !== undefined || fraction.length > 100))) return text
  const number = text as Intl.StringNumericLiteral
  if (type === 'percent') {
    return numberFormat(decimals ?? Math.max(fraction.length - 2, 0), { style: 'percent' }).format(number)
  }
  const useGrouping = typeof options.thousands === 'boolean' ? options.thousands : separatesThousands(type)
  const { currency } = options
  const digits = (least: number) => decimals ?? Math.max(fraction.length, least)
  if (typeof currency !== 'string') return numberFormat(digits(type === 'currency' ? 2 : 0), { useGrouping }).format(number)
  return numberFormat(digits(currencyDecimals(currency)), { style: 'currency', currency, useGrouping }).format(number)
}

const maxStars = 10

/** Averages and sums of ratings are displayed as numbers. */
function formatRating(text: string, { max = 5 }: GridColumn['options']): string {
  const stars = Number(text)
  return Number.isInteger(stars) && stars > 0 && stars <= Number(max) && Number(max) <= maxStars
    ? '★'.repeat(stars) + '☆'.repeat(Number(max) - stars)
    : formatDigits(text, 'decimal', {})
}

function formatColumnNumber(text: string, column: GridColumn): string {
  const type = valueType(column)
  // A number that identifies a record is not grouped.
  if (type === 'autoNumber' || column.name === 'id') return text
  if (type === 'duration') return writeDuration(text)
  return type === 'rating' ? formatRating(text, column.options) : formatDigits(text, type, column.options)
}

type Words = { yes: string; no: string }

export function displayText(value: unknown, column: GridColumn, words: Words): string {
  if (column.options.isMany && Array.isArray(value)) return value.map((each) => displayText(each, singleColumn(column), words)).join(', ')
  const text = toPlainText(value)
  if (text === '') return ''
  switch (cellKind(column)) {
    case 'boolean':
      return value === true ? words.yes : words.no
    case 'number':
      return formatColumnNumber(text, column)
    case 'date':
      // A date has no time zone, so it is parsed as a local one.
      return /^\d{4}-\d\d-\d\d$/.test(text) ? formatDate(`${text}T00:00:00`, column.options) : text
    case 'time':
      return formatTimeOfDay(text, column.options)
    case 'json':
      return JSON.stringify(value)
    case 'dateTime':
      return Number.isNaN(Date.parse(text)) ? text : formatTimestamp(text, column.options)
    default:
      return text
  }
}
