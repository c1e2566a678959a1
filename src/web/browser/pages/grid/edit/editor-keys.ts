import type { KeyboardEvent } from 'react'
import type { Column } from '../data/cell-values'

export type Leave = 'stay' | 'down' | 'up' | 'right' | 'left'

export type EditorProps = {
  column: Column
  value: unknown
  /** What was typed to begin; null to go on from the value. */
  typed: string | null
  label: string
  commit: (value: unknown, leave: Leave) => void
  cancel: () => void
}

/** Where a key that ends editing leads; null when it does not. */
export function leaveBy(event: KeyboardEvent, isLong = false): Leave | null {
  if (event.key === 'Tab') return event.shiftKey ? 'left' : 'right'
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return null
  if (isLong && (event.shiftKey || event.altKey)) return null
  return event.shiftKey ? 'up' : 'down'
}
