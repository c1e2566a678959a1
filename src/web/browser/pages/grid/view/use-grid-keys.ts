import type { KeyboardEvent, MouseEvent, RefObject } from 'react'
import { at, moveBy, nextByTab, type Place, type Selection, type Size } from './cell-selection'

export type GridActions = {
  select: (selection: Selection) => void
  /** @param typed what the editor begins with; null for the value */
  edit: (place: Place, typed: string | null) => void
  clear: () => void
  toggleCheck: (row: number, isRange: boolean) => void
  toggleAll: () => void
  undo: () => void
  redo: () => void
  openRecord: (row: number) => void
  openMenu: (column: number) => void
  newRow: () => void
  /** Takes back an empty row that was begun. */
  escape: () => void
}

/** What a key means in the grid. @param isLeaving whether the next Tab leaves the grid: Escape says so */
export function useGridKeys(selection: Selection, size: Size, isLeaving: RefObject<boolean>, actions: GridActions) {
  const { active } = selection

  const command = (event: KeyboardEvent): boolean => {
    switch (event.key.toLowerCase()) {
      case 'a':
        actions.select({ active: { row: 0, column: 0 }, head: { row: size.rows - 1, column: size.columns - 1 } })
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
      default:
        return false
    }
  }

  const begin = (key: string): boolean => {
    if (active.row < 0 && active.column < 0) actions.toggleAll()
    else if (active.row < 0) actions.openMenu(active.column)
    else if (active.column < 0 && key !== ' ') actions.openRecord(active.row)
    else if (active.column < 0) actions.toggleCheck(active.row, false)
    else actions.edit(active, key === ' ' ? ' ' : null)
    return true
  }

  const plain = (event: KeyboardEvent): boolean => {
    const { key } = event
    if (key === ' ' && event.shiftKey && active.row >= 0) actions.toggleCheck(active.row, false)
    else if (key === 'Enter' || key === 'F2' || key === ' ') return begin(key)
    else if (key === 'Delete' || key === 'Backspace') actions.clear()
    else if (key === 'Process' || key === 'Unidentified') {
      // A method of input composes its text in the editor, which has to be there for it.
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
      const next = isLeaving.current ? null : nextByTab(active, event.shiftKey, size)
      isLeaving.current = false
      if (!next || isCommand || event.altKey) return
      event.preventDefault()
      return actions.select(at(next.row, next.column))
    }
    if (['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return
    isLeaving.current = false
    const moved = moveBy({ key: event.key, shiftKey: event.shiftKey, isCommand }, selection, size)
    if (moved) actions.select(moved)
    const isTaken = moved !== null || (isCommand ? command(event) : !event.altKey && plain(event))
    if (isTaken) event.preventDefault()
  }
}

/** The place of the cell that an event is about. */
export function placeOf(event: MouseEvent | KeyboardEvent): Place | null {
  const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null
  // What a menu does bubbles up here too, though it stands elsewhere.
  return cell && event.currentTarget.contains(cell) ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : null
}
