import type { TableView } from '../../../../../tables/model'
import { cellKind } from '../data/cell-kinds'
import type { GridColumn } from '../data/cell-values'
import type { SavedView } from '../data/table-queries'

/** A column with its position. `left` is relative to the first column. */
export type PlacedColumn = { column: GridColumn; width: number; left: number; isPinned: boolean }

export const rowHeight = 34
export const headerHeight = 36
export const rowHeaderWidth = 64
export const [minWidth, maxWidth] = [60, 800]

const widths: Record<string, number> = {
  number: 110,
  boolean: 84,
  date: 130,
  dateTime: 180,
  time: 100,
  longText: 260,
  json: 220,
  files: 150,
}

const defaultWidth = ({ primaryKey }: TableView, column: GridColumn): number =>
  primaryKey.includes(column.name) && cellKind(column) === 'number' ? 84 : (widths[cellKind(column)] ?? 180)

/** The visible columns in the user's order, pinned ones first, new ones last. */
export function layOutColumns(table: TableView, view: SavedView): PlacedColumn[] {
  const place = new Map((view.order ?? []).map((id, index) => [id, index]))
  const order = (id: string) => place.get(id) ?? place.size
  const isPinned = ({ id }: GridColumn) => view.pinned?.includes(id) ?? false
  const visible = table.columns.filter(({ id }) => !view.hidden?.includes(id)).sort((one, other) => order(one.id) - order(other.id))
  const sorted = [...visible.filter(isPinned), ...visible.filter((column) => !isPinned(column))]
  let left = 0
  return sorted.map((column) => {
    const width = view.widths?.[column.id] ?? defaultWidth(table, column)
    left += width
    return { column, width, left: left - width, isPinned: isPinned(column) }
  })
}

/** Moves a column to the position of another one. */
export function moveColumn(table: TableView, view: SavedView, id: string, target: string): SavedView {
  const ids = layOutColumns(table, { ...view, hidden: [] }).map(({ column }) => column.id)
  const [from, to] = [ids.indexOf(id), ids.indexOf(target)]
  if (from < 0 || to < 0) return view
  ids.splice(to, 0, ...ids.splice(from, 1))
  return { ...view, order: ids }
}

/** Browsers limit the height of an element to about 17 million pixels. */
export const maxRows = 480_000
