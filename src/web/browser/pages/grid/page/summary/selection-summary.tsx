import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { valueType } from '../../../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../../../tables/model'
import { useStrings } from '../../../../language'
import { fetchStatistics } from '../../../../records/list/column-summary'
import type { RecordPages } from '../../../../records/pages/record-pages'
import { cellKind } from '../../../../records/values/cell-kinds'
import { displayText } from '../../../../records/values/cell-text'
import { type GridColumn, toPlainText } from '../../../../records/values/cell-values'
import { DecimalSum } from '../../../../values/decimal-sum'
import { formatNumber } from '../../../../values/format'
import { type Range, rangeOf } from '../../model/cell-selection'
import { displayedValue } from '../../model/displayed-value'
import { useGridModel } from '../../model/grid-model'
import { formatAverage } from './format-average'

/** `rows` is the number of counted rows; undefined if all were counted. */
type Summary = { filled: number; numbers: DecimalSum; rows?: number }

/** Number of cells, and count, sum, average, minimum and maximum of their values. */
export function SelectionSummary() {
  const { grid, tables } = useStrings()
  const { table, records, columns, selection, gridQuery } = useGridModel()
  const range = rangeOf(selection)
  const cells = (range.bottom - range.top + 1) * (range.right - range.left + 1)
  const isShown = cells > 1 && selection.active.row >= 0
  const selected = isShown ? columns.slice(range.left, range.right + 1).map(({ column }) => column) : []
  const numeric = summedColumns(table, selected)
  const loaded = isShown ? summarizeLoaded(records, range, selected, numeric) : null
  // If the whole list is selected but not loaded, the service computes the summary.
  const isWhole = range.top === 0 && range.bottom >= records.recordCount - 1
  const isRequested = loaded?.rows !== undefined && isWhole
  const counted = selected.filter((column) => !['files', 'manyLinks'].includes(cellKind(column)) && !column.options.isMany)
  const { data } = useQuery({
    queryKey: ['summary', records.id, 'selection', ...counted.map(({ id }) => id)],
    enabled: isRequested && counted.length > 0,
    placeholderData: keepPreviousData,
    queryFn: () => fetchStatistics(table, gridQuery.applied, counted),
  })
  if (!isShown) return null
  const summary = isRequested && data ? combine(data, counted, numeric) : loaded!
  const statistics = summary.numbers.statistics
  const only = numeric.length === 1 ? numeric[0] : undefined
  const format = (text: string) => displayText(text, only ?? plainNumber, tables)
  return (
    <>
      <span>{grid.cells(cells)}</span>
      <span className="grid-statistics">
        <Statistic name={grid.valueCount} value={formatNumber(summary.filled)} />
        {statistics
          ? (['sum', 'average', 'min', 'max'] as const).map((name) => (
              <Statistic
                key={name}
                name={grid.summaries[name]}
                value={name === 'average' && only ? formatAverage(statistics[name], only, tables) : format(statistics[name])}
              />
            ))
          : null}
        {summary.rows === undefined ? null : <span>{grid.loadedRows(summary.rows)}</span>}
      </span>
    </>
  )
}

/** Summaries of several columns do not have the format of one column. */
const plainNumber: GridColumn = { id: '', name: '', type: 'decimal', required: false, readOnly: true, description: null, options: {} }

const Statistic = ({ name, value }: { name: string; value: string }) => (
  <span>
    {name} <b>{value}</b>
  </span>
)

/** More cells would delay the frame in which the selection changes. */
const maxCells = 50_000

/** The columns to sum: no keys, and only numbers with the same unit. */
function summedColumns({ primaryKey }: TableView, columns: readonly GridColumn[]): GridColumn[] {
  const numeric = columns.filter(
    (column) => cellKind(column) === 'number' && column.type !== 'autoNumber' && !primaryKey.includes(column.name),
  )
  const units = new Set(
    numeric.map((column) => column.options.currency ?? (unitTypes.includes(valueType(column)) ? valueType(column) : '')),
  )
  return units.size === 1 ? numeric : []
}

const unitTypes = ['currency', 'percent', 'duration', 'rating']

function summarizeLoaded(
  records: RecordPages,
  { top, bottom }: Range,
  columns: readonly GridColumn[],
  numeric: readonly GridColumn[],
): Summary {
  const summary: Summary = { filled: 0, numbers: new DecimalSum() }
  const maxRows = Math.ceil(maxCells / Math.max(1, columns.length))
  let rows = 0
  for (let row = top; row <= bottom && rows < maxRows; row++) {
    if (!records.rowAt(row)) continue
    rows++
    for (const column of columns) {
      const value = displayedValue(records, row, column)
      const text = toPlainText(value)
      if (text === '') continue
      summary.filled++
      if (numeric.includes(column)) summary.numbers.add(text)
    }
  }
  return rows < bottom - top + 1 ? { ...summary, rows } : summary
}

function combine(
  columns: Awaited<ReturnType<typeof fetchStatistics>>,
  counted: readonly GridColumn[],
  numeric: readonly GridColumn[],
): Summary {
  const numbers = new DecimalSum()
  for (const [index, { filled, sum, min, max }] of columns.entries())
    if (sum !== '' && numeric.includes(counted[index]!)) numbers.addGroup({ count: filled, sum, min, max })
  return { filled: columns.reduce((all, { filled }) => all + filled, 0), numbers }
}
