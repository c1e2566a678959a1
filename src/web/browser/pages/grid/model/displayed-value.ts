import type { DisplayedRow, RecordPages } from '../../../records/pages/record-pages'
import type { GridColumn } from '../../../records/values/cell-values'

/** The displayed value of a cell: the pending value, else the stored one. */
export const valueInRow = ({ pending, record }: DisplayedRow, { name }: GridColumn): unknown =>
  pending && name in pending ? pending[name] : record[name]

export function displayedValue(records: RecordPages, index: number, column: GridColumn): unknown {
  const row = records.rowAt(index)
  return row && valueInRow(row, column)
}
