import type { SavedView } from '../../../records/list/table-queries'

/** The row height in pixels, the number of lines of text and of chips, and whether long text wraps to these lines. */
export type RowLayout = { height: number; textLines: number; chipLines: number; wraps: boolean }

export type RowSize = 'short' | 'medium' | 'tall'

const layouts: Record<RowSize, Omit<RowLayout, 'wraps'>> = {
  short: { height: 34, textLines: 1, chipLines: 1 },
  medium: { height: 60, textLines: 2, chipLines: 2 },
  tall: { height: 104, textLines: 5, chipLines: 4 },
}

export const rowSizes = Object.keys(layouts) as RowSize[]

export const rowSizeOf = (view: SavedView): RowSize => rowSizes.find((size) => size === view.rowSize) ?? 'short'

/** Rows of several lines wrap their text unless the user has decided otherwise. */
export const wrapsText = (view: SavedView): boolean => rowSizeOf(view) !== 'short' && (view.wraps ?? true)

export const rowLayout = (view: SavedView): RowLayout => ({ ...layouts[rowSizeOf(view)], wraps: wrapsText(view) })

/** Browsers limit the height of an element to about 17 million pixels. */
const maxHeight = 16_320_000

/** The number of rows that a grid can show. */
export const maxRows = (rowHeight: number): number => Math.floor(maxHeight / rowHeight)
