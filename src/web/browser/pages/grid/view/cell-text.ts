import { locale } from '../../../language'
import { formatDate, formatMoment } from '../../../values/format'
import { kindOf } from '../data/cell-kinds'
import { type Column, plainText } from '../data/cell-values'

const formats = new Map<string, Intl.NumberFormat>()

/** A format with just as many digits behind the point as the number has: nothing is rounded. */
function numberFormat(digits: number): Intl.NumberFormat {
  const key = `${locale()} ${digits}`
  // Years and other short numbers stand without a separator.
  const made =
    formats.get(key) ??
    new Intl.NumberFormat(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: 'min2' })
  formats.set(key, made)
  return made
}

/** Every digit of a number, with the signs of the user's language. */
function formatDigits(text: string): string {
  const [, fraction = ''] = /^-?\d+(?:\.(\d+))?$/.exec(text) ?? []
  const isPlain = /^-?\d+(\.\d+)?$/.test(text) && fraction.length <= 100
  return isPlain ? numberFormat(fraction.length).format(text as Intl.StringNumericLiteral) : text
}

type Words = { yes: string; no: string }

/** A value as a line of text, as it is shown. */
export function shownText(value: unknown, column: Column, words: Words): string {
  const text = plainText(value)
  if (text === '') return ''
  switch (kindOf(column)) {
    case 'boolean':
      return value === true ? words.yes : words.no
    case 'number':
      // A number that names something is no quantity.
      return column.type === 'autoNumber' || column.name === 'id' ? text : formatDigits(text)
    case 'date':
      // A day has no zone: it is read as one in ours.
      return /^\d{4}-\d\d-\d\d$/.test(text) ? formatDate(`${text}T00:00:00`) : text
    case 'json':
      return JSON.stringify(value)
    case 'dateTime':
      return Number.isNaN(Date.parse(text)) ? text : formatMoment(text)
    default:
      return text
  }
}
