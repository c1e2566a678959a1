import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Place } from './cell-selection'
import { headHeight, type Placed, rowHeadWidth, rowHeight } from './column-layout'

/** The part of the grid that is in sight, in pixels of the frame that scrolls; `top` in whole rows, `left` in steps. */
type Box = { top: number; left: number; width: number; height: number }

/** Rows above and below those in sight, which are drawn too. */
const spare = 8
/** The same to the sides, in pixels. */
const spareWidth = 240
/** So far one scrolls to the side before it is looked again what is in sight: less than is spare. */
const stepWidth = 60

/** What stands above and below the frame takes about so much, for the first drawing: a row too many or too few of the spare ones does no harm. */
const aroundHeight = 150

const boxOf = (frame: HTMLElement): Box => ({
  top: Math.floor(frame.scrollTop / rowHeight) * rowHeight,
  left: Math.floor(frame.scrollLeft / stepWidth) * stepWidth,
  width: frame.clientWidth,
  height: frame.clientHeight,
})

const isSameBox = (one: Box, other: Box) =>
  one.top === other.top && one.left === other.left && one.width === other.width && one.height === other.height

function useBox(scroller: RefObject<HTMLElement | null>): Box {
  const [box, setBox] = useState<Box>(() => ({ top: 0, left: 0, width: innerWidth, height: innerHeight - aroundHeight }))
  useLayoutEffect(() => {
    const frame = scroller.current
    if (!frame) return
    const read = () => setBox((before) => (isSameBox(before, boxOf(frame)) ? before : boxOf(frame)))
    // At once: drawn a frame later, rows would be missing at the edge.
    const scroll = () => flushSync(read)
    frame.addEventListener('scroll', scroll, { passive: true })
    // It tells at once how large the frame is, when everything has been laid out: asked for here, that would be done twice.
    const observer = new ResizeObserver(read)
    observer.observe(frame)
    return () => {
      observer.disconnect()
      frame.removeEventListener('scroll', scroll)
    }
  }, [scroller])
  return box
}

/** What of the grid is drawn: the rows and columns in sight, some rows around, what is pinned, and the place with the focus, which would be lost otherwise. */
export function useWindow(scroller: RefObject<HTMLElement | null>, rows: number, columns: Placed[], active: Place) {
  const box = useBox(scroller)
  const first = Math.floor(box.top / rowHeight)
  const last = Math.min(rows - 1, Math.ceil((box.top + box.height - headHeight) / rowHeight))
  const from = Math.max(0, first - spare)
  const drawn = Array.from({ length: Math.max(0, Math.min(rows - 1, last + spare) - from + 1) }, (_, at) => from + at)
  if (active.row >= 0 && active.row < rows && !drawn.includes(active.row)) drawn.push(active.row)

  const isInSight = ({ left, width, isPinned }: Placed, index: number) =>
    isPinned ||
    index === active.column ||
    (left + width > box.left - spareWidth && left < box.left + stepWidth + box.width + spareWidth - rowHeadWidth)
  const all = columns.flatMap((placed, index) => (isInSight(placed, index) ? [index] : []))
  const key = all.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that is in the list, and rows are drawn again only for another list
  const shown = useMemo(() => all, [key])

  /** Moves a place into sight, no further than it has to. */
  const reveal = ({ row, column }: Place) => {
    const frame = scroller.current
    if (!frame) return
    const y = row * rowHeight
    if (row >= 0 && y < frame.scrollTop) frame.scrollTop = y
    else if (row >= 0) frame.scrollTop = Math.max(frame.scrollTop, y + rowHeight + headHeight - frame.clientHeight)
    const placed = columns[column]
    if (column <= 0) frame.scrollLeft = 0
    if (!placed || placed.isPinned) return
    const pinned = columns.reduce((sum, each) => sum + (each.isPinned ? each.width : 0), 0)
    if (placed.left - pinned < frame.scrollLeft) frame.scrollLeft = placed.left - pinned
    else frame.scrollLeft = Math.max(frame.scrollLeft, placed.left + placed.width + rowHeadWidth - frame.clientWidth)
  }
  return { first, last, drawn, shown, reveal, page: Math.max(1, Math.floor((box.height - headHeight) / rowHeight) - 1) }
}
