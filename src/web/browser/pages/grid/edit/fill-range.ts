import type { DisplayedRow } from '../../../records/pages/record-pages'
import { cellKind, linkSource } from '../../../records/values/cell-kinds'
import type { GridColumn } from '../../../records/values/cell-values'
import type { Range } from '../model/cell-selection'
import { valueInRow } from '../model/displayed-value'
import { parseInput, toClipboardText } from './cell-input'
import { continueSeries } from './fill-series'
import { isLinkColumn } from './link-names'

type Fill = {
  /** The rows of the source. */
  rows: readonly DisplayedRow[]
  columns: readonly GridColumn[]
  source: Range
  target: Range
  /** Whether the source is repeated even if it is a series. */
  isCopy: boolean
}

const linkedTable = (column: GridColumn) => isLinkColumn(column) && linkSource(column)

/**
 * The values of a target range that continue a source range beside it. A cell does not change if only one of source and
 * target is a link, or if they link to different tables: a key identifies a record of its own table only.
 */
export function continueRange({ rows, columns, source, target, isCopy }: Fill) {
  const isVertical = source.left === target.left && source.right === target.right
  const isBack = target.top < source.top || target.left < source.left
  const series = new Map<number, ReturnType<typeof continueSeries>>()
  /** The line through a cell, in the direction of the fill. */
  const seriesThrough = (row: number, column: number) => {
    const place = isVertical ? column : row
    const sources = isVertical
      ? rows.map((each) => ({ row: each, from: columns[column]! }))
      : columns.slice(source.left, source.right + 1).map((from) => ({ row: rows[row - source.top]!, from }))
    const cells = sources.map((each) => ({ value: valueInRow(each.row, each.from), from: each.from }))
    if (isBack) cells.reverse()
    const kind = cellKind(columns[column]!)
    const isSeries = !isCopy && cells.every(({ from }) => cellKind(from) === kind)
    const next = series.get(place) ?? continueSeries(cells, isSeries ? kind : 'text')
    series.set(place, next)
    return next
  }
  return (down: number, across: number, column: GridColumn, before: unknown): unknown => {
    const [row, at] = [target.top + down, target.left + across]
    const forward = isVertical ? row - source.bottom : at - source.right
    const backward = isVertical ? source.top - row : source.left - at
    const { value, from } = seriesThrough(row, at)((isBack ? backward : forward) - 1)
    if (linkedTable(from) !== linkedTable(column)) return before
    return from.type === column.type ? value : parseInput(toClipboardText(value, from), column)
  }
}
