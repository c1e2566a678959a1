import type { KeyboardEvent } from 'react'
import type { GridColumn } from '../../../records/values/cell-values'

/**
 * `next` is the cell below, in the column where a run of Tabs began; `here` is the same cell; `stay` does not move the
 * focus.
 */
export type ExitDirection = 'stay' | 'here' | 'next' | 'down' | 'up' | 'right' | 'left'

export type EditorProps = {
  column: GridColumn
  value: unknown
  /** The typed key that opened the editor; null to start with the value. */
  typed: string | null
  /** Refused text, which the cell shows instead of its value. */
  refused?: { text: string; reason: string }
  label: string
  /** Adds a choice to the column; null for users who may not. */
  addChoice: ((choice: string) => Promise<unknown>) | null
  commit: (value: unknown, leave: ExitDirection) => void
  cancel: () => void
}

const arrows: Record<string, ExitDirection> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' }

/**
 * The direction in which a key leaves the editor; null for other keys.
 * @param isTyping whether typing opened the editor: then arrows leave it, as in spreadsheets, else they move the cursor
 */
export function exitDirection(event: KeyboardEvent, { isLong = false, isTyping = false } = {}): ExitDirection | null {
  if (event.nativeEvent.isComposing) return null
  if (event.key === 'Tab') return event.shiftKey ? 'left' : 'right'
  const isPlain = !(event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)
  if (isTyping && isPlain && arrows[event.key]) return arrows[event.key]!
  if (event.key !== 'Enter') return null
  if (isLong && breaksLine(event)) return null
  if (event.ctrlKey || event.metaKey) return 'here'
  return event.shiftKey ? 'up' : 'next'
}

/** Whether a key inserts a line break into a long text, as in spreadsheets. */
export const breaksLine = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean => key === 'Enter' && (altKey || ctrlKey || metaKey)
