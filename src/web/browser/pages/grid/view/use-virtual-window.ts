import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { footerHeight, headerHeight, type PlacedColumn, rowHeaderWidth } from '../../../records/list/column-layout'
import type { CellPosition } from '../model/cell-selection'

/**
 * The visible part of the grid, in pixels of the scroll container. `top` is a multiple of the row height, `left` of a
 * step.
 */
type Box = { top: number; left: number; width: number; height: number }

/** The number of rows rendered above and below the visible ones. */
const overscanRows = 8
/** The width rendered left and right of the visible columns, in pixels. */
const overscanWidth = 240
/** The horizontal scroll distance before the visible columns are computed again; smaller than the overscan. */
const stepWidth = 60

/** The estimated height around the grid, for the first render. The overscan covers the difference. */
const chromeHeight = 150

const boxOf = (frame: HTMLElement, rowHeight: number): Box => ({
  top: Math.floor(frame.scrollTop / rowHeight) * rowHeight,
  left: Math.floor(frame.scrollLeft / stepWidth) * stepWidth,
  width: frame.clientWidth,
  height: frame.clientHeight,
})

const isSameBox = (one: Box, other: Box) =>
  one.top === other.top && one.left === other.left && one.width === other.width && one.height === other.height

function useBox(scroller: RefObject<HTMLElement | null>, rowHeight: number): Box {
  const heightBefore = useRef(rowHeight)
  const [box, setBox] = useState<Box>(() => ({ top: 0, left: 0, width: innerWidth, height: innerHeight - chromeHeight }))
  useLayoutEffect(() => {
    const frame = scroller.current
    if (!frame) return
    // The first visible row stays first when the row height changes.
    const isChanged = heightBefore.current !== rowHeight
    if (isChanged) frame.scrollTop = (frame.scrollTop / heightBefore.current) * rowHeight
    heightBefore.current = rowHeight
    const read = () => setBox((before) => (isSameBox(before, boxOf(frame, rowHeight)) ? before : boxOf(frame, rowHeight)))
    if (isChanged) read()
    // Synchronously: a frame later, rows would be missing at the edge.
    const scroll = () => flushSync(read)
    frame.addEventListener('scroll', scroll, { passive: true })
    // The observer reports the size after layout; reading it here would force a second layout.
    const observer = new ResizeObserver(read)
    observer.observe(frame)
    return () => {
      observer.disconnect()
      frame.removeEventListener('scroll', scroll)
    }
  }, [scroller, rowHeight])
  return box
}

type WindowOptions = {
  rows: number
  /** In pixels, like all sizes. */
  rowHeight: number
  columns: PlacedColumn[]
  active: CellPosition
  /** The width of the elements that cover columns at the right edge. */
  trailingWidth: number
}

/**
 * The rows and columns to render: visible ones, the overscan, pinned columns, and the active cell, which would lose the
 * focus otherwise.
 */
export function useVirtualWindow(
  scroller: RefObject<HTMLElement | null>,
  { rows, rowHeight, columns, active, trailingWidth }: WindowOptions,
) {
  const box = useBox(scroller, rowHeight)
  const first = Math.floor(box.top / rowHeight)
  const last = Math.min(rows - 1, Math.ceil((box.top + box.height - headerHeight) / rowHeight))
  const from = Math.max(0, first - overscanRows)
  const drawn = Array.from({ length: Math.max(0, Math.min(rows - 1, last + overscanRows) - from + 1) }, (_, at) => from + at)
  if (active.row >= 0 && active.row < rows && !drawn.includes(active.row)) drawn.push(active.row)

  const isInSight = ({ left, width, isPinned }: PlacedColumn, index: number) =>
    isPinned ||
    index === active.column ||
    (left + width > box.left - overscanWidth && left < box.left + stepWidth + box.width + overscanWidth - rowHeaderWidth)
  const all = columns.flatMap((placed, index) => (isInSight(placed, index) ? [index] : []))
  const key = all.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the list, and rows render again only when it changes
  const visibleColumns = useMemo(() => all, [key])

  /** Scrolls a position into view, by the smallest distance. */
  const reveal = ({ row, column }: CellPosition) => {
    const frame = scroller.current
    if (!frame) return
    const y = row * rowHeight
    if (row >= 0 && y < frame.scrollTop) frame.scrollTop = y
    else if (row >= 0) frame.scrollTop = Math.max(frame.scrollTop, y + rowHeight + headerHeight + footerHeight - frame.clientHeight)
    const placed = columns[column]
    if (column <= 0) frame.scrollLeft = 0
    if (!placed || placed.isPinned) return
    const pinned = columns.reduce((sum, each) => sum + (each.isPinned ? each.width : 0), 0)
    if (placed.left - pinned < frame.scrollLeft) frame.scrollLeft = placed.left - pinned
    else frame.scrollLeft = Math.max(frame.scrollLeft, placed.left + placed.width + rowHeaderWidth + trailingWidth - frame.clientWidth)
  }
  return {
    first,
    last,
    drawn,
    visibleColumns,
    reveal,
    page: Math.max(1, Math.floor((box.height - headerHeight - footerHeight) / rowHeight) - 1),
  }
}
