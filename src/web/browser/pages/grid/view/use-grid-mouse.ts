import { type MouseEvent, useEffect, useState } from 'react'
import {
  type CellPosition,
  fillTarget,
  type GridSize,
  type Range,
  rangeOf,
  rowLimit,
  type Selection,
  selectCell,
} from '../model/cell-selection'
import { type GridActions, positionOf } from './use-grid-keys'

/**
 * A click selects a cell, a drag a range, a double click edits. Dragging the handle at the corner of the selection
 * fills the cells beside it.
 */
export function useGridMouse({ active, head }: Selection, size: GridSize, actions: GridActions, byMouse: { current: boolean }) {
  const [isDragging, setDragging] = useState(false)
  /** The cells to fill; null while the handle is over the selection, undefined while it is not dragged. */
  const [filling, setFilling] = useState<Range | null | undefined>(undefined)
  useEffect(() => {
    const stop = () => {
      setDragging(false)
      setFilling(undefined)
      if (filling) actions.fill(filling)
    }
    window.addEventListener('mouseup', stop)
    return () => window.removeEventListener('mouseup', stop)
  })
  const clip = ({ row, column }: CellPosition) => ({ row: Math.min(row, rowLimit(active, size) - 1), column })
  const isBetween = (column: number, { left, right }: Range) => column >= left && column <= right
  const isTick = (event: MouseEvent) => event.target instanceof Element && event.target.closest('.grid-tick') !== null
  const isEditor = (event: MouseEvent) =>
    event.target instanceof Element && event.target.closest('.grid-editor, .calendar, .grid-menu, .grid-resize, .grid-open, .grid-expand')
  const events = {
    onMouseDown: (event: MouseEvent) => {
      const place = positionOf(event)
      if (!place || event.button !== 0 || isEditor(event)) return
      // Commit an open editor first.
      if (document.activeElement instanceof HTMLElement && document.activeElement.matches('.grid-editor')) document.activeElement.blur()
      // `preventDefault` would disable dragging a header.
      if (place.row >= 0 || place.column < 0) event.preventDefault()
      ;(event.currentTarget as HTMLElement).querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true })
      const isCell = place.row >= 0 && place.column >= 0
      if (event.target instanceof Element && event.target.closest('.grid-fill')) return setFilling(null)
      if (event.shiftKey && isCell && active.row >= 0 && active.column >= 0) return actions.select({ active, head: clip(place) })
      if (place.column < 0 && place.row === size.rows - 1 && place.row >= size.records) return actions.newRow()
      if (place.column < 0 && place.row >= 0) actions.toggleCheck(place.row, event.shiftKey)
      else if (place.column < 0) actions.toggleAll()
      setDragging(isCell)
      byMouse.current = true
      actions.select(selectCell(place.row, place.column))
    },
    onMouseOver: (event: MouseEvent) => {
      const place = isDragging || filling !== undefined ? positionOf(event) : null
      if (filling !== undefined && place)
        return setFilling(fillTarget(rangeOf({ active, head }), { row: Math.min(place.row, size.records - 1), column: place.column }))
      if (place && place.row >= 0 && place.column >= 0 && (place.row !== head.row || place.column !== head.column))
        actions.select({ active, head: clip(place) })
    },
    /** The right button, and a long press on a touch screen. */
    onContextMenu: (event: MouseEvent) => {
      const place = positionOf(event)
      if (!place || place.row < 0 || isEditor(event)) return
      event.preventDefault()
      const range = rangeOf({ active, head })
      const isWithin = place.row >= range.top && place.row <= range.bottom && (place.column < 0 || isBetween(place.column, range))
      const { clientX: x, clientY: y } = event
      byMouse.current = true
      if (!isWithin || active.row < 0) actions.select(selectCell(place.row, place.column))
      // The menu belongs to the new selection.
      setTimeout(() => actions.openMenu({ x, y }))
    },
    onClick: (event: MouseEvent) => {
      const isExpand = event.target instanceof Element && event.target.closest('.grid-expand')
      const opened = isExpand ? positionOf(event) : null
      if (opened) return actions.openRecord(opened.row)
      const place = isTick(event) && !event.shiftKey ? positionOf(event) : null
      if (place) actions.toggle(place)
    },
    onDoubleClick: (event: MouseEvent) => {
      const place = positionOf(event)
      // The two clicks have already toggled a checkbox twice.
      if (!place || place.row < 0 || isEditor(event) || isTick(event)) return
      if (place.column < 0) actions.openRecord(place.row)
      else actions.edit(place, null)
    },
  }
  return { events, filling: filling ?? null }
}
