/** Row -1 is the header, column -1 the row number. */
export type CellPosition = { row: number; column: number }

export const isSamePosition = (one: CellPosition | null, other: CellPosition | null): boolean =>
  one?.row === other?.row && one?.column === other?.column

/**
 * `active` has the focus; the selected range extends from it to `head`. `isFollowing`: the selection has followed its
 * records to other rows, so the grid does not scroll to it. `tabStart` is the column where a run of Tabs began: Enter
 * returns to it.
 */
export type Selection = { active: CellPosition; head: CellPosition; isFollowing?: boolean; tabStart?: number }

/** `rows` also counts the draft rows, which follow the `records`. */
export type GridSize = { rows: number; records: number; columns: number; page: number }

export const selectCell = (row: number, column: number): Selection => ({ active: { row, column }, head: { row, column } })

/** The selection after a Tab to a cell. */
export const selectByTab = ({ active, tabStart = active.column }: Selection, { row, column }: CellPosition): Selection => ({
  ...selectCell(row, column),
  tabStart,
})

export type Range = { top: number; bottom: number; left: number; right: number }

/** The selected range without header and row numbers. */
export function rangeOf({ active, head }: Selection): Range {
  return {
    top: Math.max(0, Math.min(active.row, head.row)),
    bottom: Math.max(active.row, head.row),
    left: Math.max(0, Math.min(active.column, head.column)),
    right: Math.max(active.column, head.column),
  }
}

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(value, Math.max(least, most)))

/** The end of the rows that a range from a cell may cover: records, or rows that are not created yet. */
export const rowLimit = ({ row }: CellPosition, { rows, records }: Pick<GridSize, 'rows' | 'records'>): number =>
  row < records ? records : rows

/**
 * The same cells after a draft row has become the last record.
 * @param index its place among the draft rows
 * @param isListed false for a record that the user may not see: its row disappears
 */
export function afterCreation({ active, head, tabStart }: Selection, records: number, index: number, isListed = true): Selection {
  const created = records + index
  const rowAfter = (row: number) => {
    if (!isListed) return row > created ? row - 1 : row
    return row === created ? records : row >= records && row < created ? row + 1 : row
  }
  const moved = ({ row, column }: CellPosition) => ({ row: rowAfter(row), column })
  return { active: moved(active), head: moved(head), tabStart }
}

type Pressed = { key: string; shiftKey: boolean; isCommand: boolean }

/** The position after a key; null for other keys. */
function positionAfterKey(
  { key, isCommand }: Pressed,
  { row, column }: CellPosition,
  { rows, records, columns, page }: GridSize,
): CellPosition | null {
  // The first jump ends at the last record, the next one at the empty row for typing.
  const [lastRow, lastColumn] = [row < records - 1 ? records - 1 : rows - 1, columns - 1]
  switch (key) {
    case 'ArrowUp':
      return { row: isCommand ? (row > 0 ? 0 : -1) : row - 1, column }
    case 'ArrowDown':
      return { row: isCommand ? lastRow : row + 1, column }
    case 'ArrowLeft':
      return { row, column: isCommand ? (column > 0 ? 0 : -1) : column - 1 }
    case 'ArrowRight':
      return { row, column: isCommand ? lastColumn : column + 1 }
    case 'Home':
      return { row: isCommand ? 0 : row, column: 0 }
    case 'End':
      return { row: isCommand ? lastRow : row, column: lastColumn }
    case 'PageUp':
      return { row: Math.max(0, row - page), column }
    case 'PageDown':
      return { row: Math.min(row + page, lastRow), column }
    default:
      return null
  }
}

/** The selection after a key, as in spreadsheets; null for other keys. */
export function moveBy(pressed: Pressed, { active, head }: Selection, size: GridSize): Selection | null {
  const isExtending = pressed.shiftKey && active.row >= 0 && active.column >= 0
  const to = positionAfterKey(pressed, isExtending ? head : active, size)
  if (!to) return null
  const least = isExtending ? 0 : -1
  const place = {
    row: clamp(to.row, least, (isExtending ? rowLimit(active, size) : size.rows) - 1),
    column: clamp(to.column, least, size.columns - 1),
  }
  return isExtending ? { active, head: place } : { active: place, head: place }
}

/** The next cell by Tab, across row ends; null at the last cell, where Tab leaves the grid. */
export function nextTabStop(
  { row, column }: CellPosition,
  isBack: boolean,
  { rows, columns }: Pick<GridSize, 'rows' | 'columns'>,
): CellPosition | null {
  const to = column + (isBack ? -1 : 1)
  if (to >= 0 && to < columns) return { row, column: to }
  const line = row + (isBack ? -1 : 1)
  return line >= 0 && line < rows ? { row: line, column: isBack ? columns - 1 : 0 } : null
}

/**
 * The range between a selection and the cell to which its corner was dragged, in the direction of the greater distance.
 */
export function fillTarget({ top, bottom, left, right }: Range, { row, column }: CellPosition): Range | null {
  const down = row > bottom ? row - bottom : Math.min(0, row - top)
  const across = column > right ? column - right : Math.min(0, column - left)
  if (down === 0 && across === 0) return null
  if (Math.abs(down) >= Math.abs(across))
    return { left, right, ...(down > 0 ? { top: bottom + 1, bottom: row } : { top: row, bottom: top - 1 }) }
  return { top, bottom, ...(across > 0 ? { left: right + 1, right: column } : { left: column, right: left - 1 }) }
}
