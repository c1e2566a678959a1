import type { TableView } from '../../../../tables/model'
import { cellKind } from '../values/cell-kinds'
import type { GridColumn } from '../values/cell-values'
import { isGeneratedKey } from '../values/column'
import type { SavedView } from './table-queries'

/** A column with its position. `left` is relative to the first column. */
export type PlacedColumn = { column: GridColumn; width: number; left: number; isPinned: boolean }

export const headerHeight = 36
/** The height of the summary row. */
export const footerHeight = 32
export const rowHeaderWidth = 64
/** The width of the header that adds a column. */
export const addColumnWidth = 44
export const [minWidth, maxWidth] = [60, 800]

const widths: Record<string, number> = {
  number: 130,
  boolean: 110,
  date: 130,
  dateTime: 180,
  time: 110,
  longText: 260,
  json: 220,
  files: 150,
}

/** In a column header: the width beside the name, the average width of a character, and the maximum for a name. */
const [headWidth, characterWidth, maxNamedWidth] = [80, 7.5, 240]

/** Wide enough for the header to show a name of usual length. */
function defaultWidth({ primaryKey }: TableView, column: GridColumn): number {
  if (primaryKey.includes(column.name) && cellKind(column) === 'number') return 84
  const named = Math.round(headWidth + column.name.length * characterWidth)
  return Math.max(widths[cellKind(column)] ?? 180, Math.min(named, maxNamedWidth))
}

/** The ids of the hidden columns: what the user chose, else the key that the database generates. */
export const hiddenColumns = (table: TableView, view: SavedView): readonly string[] => view.hidden ?? generatedKeys(table)

/** The ids of the columns that only identify a record, unless there are no others. */
export function generatedKeys(table: TableView): string[] {
  const keys = table.columns.filter(({ name }) => isGeneratedKey(table, name))
  return keys.length < table.columns.length ? keys.map(({ id }) => id) : []
}

/** In a narrower window, a pinned column would cover the others. */
const minPinningWindowWidth = 768

/** The ids of the pinned columns: what the user chose, else the first text column of a table created by Rowhouse. */
export function pinnedColumns(table: TableView, view: SavedView): readonly string[] {
  if (view.pinned) return view.pinned
  if (table.createdAt === null || window.innerWidth < minPinningWindowWidth) return []
  return table.columns
    .filter(({ type }) => type === 'text')
    .slice(0, 1)
    .map(({ id }) => id)
}

/** The visible columns in the user's order, pinned ones first, new ones last. */
export function layOutColumns(table: TableView, view: SavedView): PlacedColumn[] {
  const place = new Map((view.order ?? []).map((id, index) => [id, index]))
  const order = (id: string) => place.get(id) ?? place.size
  const pinned = pinnedColumns(table, view)
  const hidden = hiddenColumns(table, view)
  const isPinned = ({ id }: GridColumn) => pinned.includes(id)
  const visible = table.columns.filter(({ id }) => !hidden.includes(id)).sort((one, other) => order(one.id) - order(other.id))
  const sorted = [...visible.filter(isPinned), ...visible.filter((column) => !isPinned(column))]
  let left = 0
  return sorted.map((column) => {
    const width = view.widths?.[column.id] ?? defaultWidth(table, column)
    left += width
    return { column, width, left: left - width, isPinned: isPinned(column) }
  })
}

/** The ids of all columns in their order, hidden ones too. */
const orderOf = (table: TableView, view: SavedView): string[] =>
  layOutColumns(table, { ...view, hidden: [] }).map(({ column }) => column.id)

/** Where a new column is inserted; null puts it last. */
export type ColumnPlace = { anchor: string; side: 'left' | 'right' } | null

/** Adds a new column to the order of a view, and pins it among pinned columns. */
export function placeColumn(table: TableView, view: SavedView, id: string, place: ColumnPlace): SavedView {
  const ids = orderOf(table, view).filter((each) => each !== id)
  const at = place ? ids.indexOf(place.anchor) + (place.side === 'left' ? 0 : 1) : ids.length
  const pinned = pinnedColumns(table, view)
  const isPinned = place !== null && pinned.includes(place.anchor) && (place.side === 'left' || pinned.includes(ids[at] ?? ''))
  // Without an order by the user, the table's order applies.
  const order = view.order ? { order: ids.toSpliced(at, 0, id) } : {}
  return { ...view, ...order, ...(isPinned ? { pinned: [...pinned, id] } : {}) }
}

/** Moves a column to the position of another column. */
export function moveColumn(table: TableView, view: SavedView, id: string, target: string): SavedView {
  const ids = orderOf(table, view)
  const [from, to] = [ids.indexOf(id), ids.indexOf(target)]
  if (from < 0 || to < 0) return view
  ids.splice(to, 0, ...ids.splice(from, 1))
  return { ...view, order: ids }
}
