import type { TableView } from '../../../../../tables/model'
import { kindOf } from '../data/cell-kinds'
import type { Column } from '../data/cell-values'

/** How a user looks at a table: kept on the server for each of them. Columns are named by their ids, which stay when names change. */
export type View = {
  widths?: Record<string, number>
  order?: string[]
  hidden?: string[]
  pinned?: string[]
  /** The page's search when it was last looked at. */
  search?: Record<string, string | string[]>
}

/** A column in its place. `left` counts from the left edge of the first column. */
export type Placed = { column: Column; width: number; left: number; isPinned: boolean }

export const rowHeight = 34
export const headHeight = 36
export const rowHeadWidth = 64
export const [leastWidth, mostWidth] = [60, 800]

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

const usualWidth = ({ primaryKey }: TableView, column: Column): number =>
  primaryKey.includes(column.name) && kindOf(column) === 'number' ? 84 : (widths[kindOf(column)] ?? 180)

/** The columns that are shown, pinned ones first, in the user's order; what they have not put anywhere comes last. */
export function arrange(table: TableView, view: View): Placed[] {
  const place = new Map((view.order ?? []).map((id, index) => [id, index]))
  const order = (id: string) => place.get(id) ?? place.size
  const isPinned = ({ id }: Column) => view.pinned?.includes(id) ?? false
  const shown = table.columns.filter(({ id }) => !view.hidden?.includes(id)).sort((one, other) => order(one.id) - order(other.id))
  const sorted = [...shown.filter(isPinned), ...shown.filter((column) => !isPinned(column))]
  let left = 0
  return sorted.map((column) => {
    const width = view.widths?.[column.id] ?? usualWidth(table, column)
    left += width
    return { column, width, left: left - width, isPinned: isPinned(column) }
  })
}

/** Puts a column in the place of another one. */
export function moved(table: TableView, view: View, id: string, target: string): View {
  const ids = arrange(table, { ...view, hidden: [] }).map(({ column }) => column.id)
  const [from, to] = [ids.indexOf(id), ids.indexOf(target)]
  if (from < 0 || to < 0) return view
  ids.splice(to, 0, ...ids.splice(from, 1))
  return { ...view, order: ids }
}

/** Browsers draw nothing higher than some 17 million pixels: who wants to see more of a list narrows it. */
export const mostRows = 480_000
