import { decimalsOf } from '../../../../../../tables/column-types/descriptors'
import { withAllDigits } from '../../../../records/values/cell-kinds'
import { displayText } from '../../../../records/values/cell-text'
import type { GridColumn } from '../../../../records/values/cell-values'
import { roundAverage } from '../../../../values/decimal-sum'

/** An average in the format of its column, with two decimal places more than the numbers of the column have. */
export function formatAverage(text: string, column: GridColumn, words: Parameters<typeof displayText>[2]): string {
  const { scale = decimalsOf(column.options) } = column.options
  return displayText(roundAverage(text, typeof scale === 'number' ? scale : 0), withAllDigits(column), words)
}
