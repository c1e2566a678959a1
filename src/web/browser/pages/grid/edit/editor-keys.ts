import type { KeyboardEvent } from 'react'
import type { GridColumn } from '../data/cell-values'

export type ExitDirection = 'stay' | 'down' | 'up' | 'right' | 'left'

export type EditorProps = {
  column: GridColumn
  value: unknown
  /** The typed key that opened the editor; null to start with the value. */
  typed: string | null
  label: string
  commit: (value: unknown, leave: ExitDirection) => void
  cancel: () => void
}

/** The direction in which a key leaves the editor; null for other keys. */
export function exitDirection(event: KeyboardEvent, isLong = false): ExitDirection | null {
  if (event.key === 'Tab') return event.shiftKey ? 'left' : 'right'
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return null
  if (isLong && (event.shiftKey || event.altKey)) return null
  return event.shiftKey ? 'up' : 'down'
}
