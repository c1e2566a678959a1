import type { KeyboardEvent, MouseEvent, RefObject } from 'react'
import {
  type CellPosition,
  type GridSize,
  moveBy,
  nextTabStop,
  type Range,
  type Selection,
  selectByTab,
  selectCell,
} from '../model/cell-selection'

export type GridActions = {
  select: (selection: Selection) => void
  /** @param typed the initial text of the editor; null for the value */
  edit: (place: CellPosition, typed: string | null) => void
  toggle: (position: CellPosition) => void
  clear: () => void
  /** Opens the menu of the selection. @param place in pixels of the window */
  openMenu: (place: { x: number; y: number }) => void
  /** Fills cells beside the selection by continuing it. */
  fill: (target: Range) => void
  /** Copies the first row or column of the selection to the others. A single one is filled with the cells before it. */
  fillSelection: (direction: 'down' | 'right') => void
  toggleCheck: (row: number, isRange: boolean) => void
  toggleAll: () => void
  undo: () => void
  redo: () => void
  openRecord: (row: number) => void
  /** The cell that takes files dropped at a position. */
  fileTarget: (position: CellPosition | null) => CellPosition | null
  uploadFiles: (position: CellPosition, files: File[]) => void
  /** Opens the viewer. @param fileId the file to start with @returns false if the cell has no files */
  viewFiles: (position: CellPosition, fileId?: string) => boolean
  newRow: () => void
  /** Reduces the selection to the active cell. */
  escape: () => void
}

/** The grid's keyboard shortcuts. @param isLeaving whether the next Tab leaves the grid (set by Escape) */
export function useGridKeys(selection: Selection, size: GridSize, isLeaving: RefObject<boolean>, actions: GridActions) {
  const { active } = selection

  const command = (event: KeyboardEvent): boolean => {
    switch (event.key.toLowerCase()) {
      case 'a':
        if (size.records) actions.select({ active: { row: 0, column: 0 }, head: { row: size.records - 1, column: size.columns - 1 } })
        return true
      case 'z':
        event.shiftKey ? actions.redo() : actions.undo()
        return true
      case 'y':
        actions.redo()
        return true
      case 'enter':
        actions.newRow()
        return true
      case 'd':
      case 'r':
        // Ctrl+Shift+R reloads the page.
        if (event.shiftKey || active.row < 0 || active.column < 0) return false
        actions.fillSelection(event.key.toLowerCase() === 'd' ? 'down' : 'right')
        return true
      default:
        return false
    }
  }

  const begin = (key: string): boolean => {
    // Headers have their own keys.
    if (active.row < 0 && active.column >= 0) return false
    if (active.row < 0) actions.toggleAll()
    else if (active.column < 0 && key !== ' ') actions.openRecord(active.row)
    else if (active.column < 0) actions.toggleCheck(active.row, false)
    else actions.edit(active, key === ' ' ? ' ' : null)
    return true
  }

  const plain = (event: KeyboardEvent): boolean => {
    const { key } = event
    if (key === 'Enter' && event.shiftKey && active.row >= 0) actions.select(selectCell(Math.max(0, active.row - 1), active.column))
    else if (key === ' ' && event.shiftKey && active.row >= 0) actions.toggleCheck(active.row, false)
    else if (key === 'Enter' || key === 'F2' || key === ' ') return begin(key)
    else if (key === 'Delete' || key === 'Backspace') actions.clear()
    else if (key === 'Process' || key === 'Unidentified') {
      // An input method composes its text in the editor, which has to exist first.
      actions.edit(active, '')
      return false
    } else if ([...key].length === 1 && active.row >= 0 && active.column >= 0) actions.edit(active, key)
    else return false
    return true
  }

  return (event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.metaKey
    if (event.key === 'Escape') {
      isLeaving.current = true
      actions.escape()
      return
    }
    if (event.key === 'Tab') {
      const next = isLeaving.current ? null : nextTabStop(active, event.shiftKey, size)
      isLeaving.current = false
      if (!next || isCommand || event.altKey) return
      event.preventDefault()
      return actions.select(selectByTab(selection, next))
    }
    if (['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return
    if (active.row >= 0 && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) {
      event.preventDefault()
      const { left, bottom } = (event.target as Element).getBoundingClientRect()
      // A menu that opens before the key event has reached the document would be closed by it.
      setTimeout(() => actions.openMenu({ x: left + 12, y: bottom - 4 }))
      return
    }
    isLeaving.current = false
    const moved = moveBy({ key: event.key, shiftKey: event.shiftKey, isCommand }, selection, size)
    if (moved) actions.select(moved)
    // On a Mac, the Option key types characters.
    const isPlain = !event.altKey || (event.key.length === 1 && /Mac/.test(navigator.userAgent))
    const isTaken = moved !== null || (isCommand ? command(event) : isPlain && plain(event))
    if (isTaken) event.preventDefault()
  }
}

export const cellSelector = '[data-row]'

/** The cell of an event. */
export function positionOf(event: MouseEvent): CellPosition | null {
  const cell = event.target instanceof Element ? event.target.closest<HTMLElement>(cellSelector) : null
  // React events of a menu bubble here, although it is rendered elsewhere.
  return cell && event.currentTarget.contains(cell) ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : null
}
