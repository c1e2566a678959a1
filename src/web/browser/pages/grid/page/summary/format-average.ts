import { decimalsOf, valueType } from '../../../../../../tables/column-types/descriptors'
import { withAllDigits } from '../../../../records/values/cell-kinds'
import { displayText } from '../../../../records/values/cell-text'
import type { GridColumn } from '../../../../records/values/cell-values'
import { roundAverage } from '../../../../values/decimal-sum'

/** An average in the format of its column, with two more decimal places than the numbers of the column. */
export function formatAverage(text: string, column: GridColumn, words: Parameters<typeof displayText>[2]): string {
  const { scale } = column.options
  // A fraction has two more places than the percentage that displays it.
  const decimals = (decimalsOf(column.options) ?? 0) + (valueType(column) === 'percent' ? 2 : 0)
  return displayText(roundAverage(text, typeof scale === 'number' ? scale : decimals), withAllDigits(column), words)
}
