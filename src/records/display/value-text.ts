import { type MessageLanguage, translatable } from '../../messages/message'
import { inLanguage } from '../../messages/translation'
import { currencyDecimals, decimalsOf, findColumnType, separatesThousands, valueType } from '../../tables/column-types/descriptors'
import type { Column } from '../../tables/model'
import { shiftPoint, writeDuration } from '../../tables/units'
import { dayText, momentText, numberText, scalarText } from './text'

/** A single value as people write it; null for one that has several lines, such as JSON. */
export function valueText(column: Column | null, value: unknown, language: MessageLanguage): string | null {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return inLanguage(value ? translatable('Yes') : translatable('No'), language)
  const text = scalarText(value)
  if (text === null || text === '' || column === null) return text
  switch (findColumnType(valueType(column))?.cell) {
    case 'number':
      return columnNumber(column, text, language)
    case 'date':
      return dayText(text, language)
    case 'dateTime':
      return momentText(text, language)
    default:
      return text
  }
}

/** The maximum of `Intl.NumberFormat`. */
const maxDecimals = 100

function columnNumber(column: Column, text: string, language: MessageLanguage): string {
  const { options, name } = column
  const type = valueType(column)
  // Identifiers have no thousands separators.
  if (type === 'autoNumber' || name === 'id') return text
  if (type === 'duration') return writeDuration(text)
  const decimals = decimalsOf(options)
  if (type === 'percent') return `${numberText(shiftPoint(text, 2), language, { hasThousands: false, decimals })} %`
  const hasThousands = typeof options.thousands === 'boolean' ? options.thousands : separatesThousands(type)
  const currency = typeof options.currency === 'string' ? options.currency : undefined
  const leastOfAmount = currency ? currencyDecimals(currency) : type === 'currency' ? 2 : 0
  // A column with a scale of 2 shows 12.5 as 12.50.
  const scale = typeof options.scale === 'number' ? Math.min(options.scale, maxDecimals) : 0
  return numberText(text, language, { hasThousands, decimals, leastDecimals: Math.max(scale, leastOfAmount), currency })
}
