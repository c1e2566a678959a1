import { useEffect, useState } from 'react'

const untyped = ['button', 'checkbox', 'color', 'file', 'radio', 'range', 'reset', 'submit']

const isField = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !untyped.includes(element.type))

/** Whether it holds what is to be kept: what is searched for has to be answered first. */
const holdsDraft = (field: HTMLElement) => field.getAttribute('type') !== 'search' && field.getAttribute('role') !== 'combobox'

/**
 * Waits until nobody types: until the field that has the focus is left, however that is done.
 * @returns whether that is so by now, and whether somebody did type
 */
export function usePause(isWaiting: boolean): { isPaused: boolean; wasTyping: boolean } {
  const [field, setField] = useState<HTMLElement | null>(null)
  const [isPaused, setPaused] = useState(false)
  useEffect(() => {
    if (!isWaiting) return setPaused(false)
    const active = document.activeElement
    setField(isField(active) ? active : null)
    if (!isField(active) || !holdsDraft(active)) return setPaused(true)
    const look = () => document.activeElement !== active && setPaused(true)
    // A field that is taken away when it is done with says nothing; keys and clicks tell.
    const events = ['focusout', 'focusin', 'keyup', 'click'] as const
    const later = () => setTimeout(look)
    for (const name of events) document.addEventListener(name, later)
    return () => {
      for (const name of events) document.removeEventListener(name, later)
    }
  }, [isWaiting])
  return { isPaused: isWaiting && isPaused, wasTyping: field !== null }
}
