import { useEffect, useState } from 'react'

const nonTextTypes = ['button', 'checkbox', 'color', 'file', 'radio', 'range', 'reset', 'submit']

const isTextField = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !nonTextTypes.includes(element.type))

/** Whether the field holds unsaved input. Search fields do not. */
const holdsDraft = (field: HTMLElement) => field.getAttribute('type') !== 'search' && field.getAttribute('role') !== 'combobox'

/** Waits until the user leaves the focused field. @returns whether the user has paused, and whether they were typing */
export function useTypingPause(isWaiting: boolean): { isPaused: boolean; wasTyping: boolean } {
  const [field, setField] = useState<HTMLElement | null>(null)
  const [isPaused, setPaused] = useState(false)
  useEffect(() => {
    if (!isWaiting) return setPaused(false)
    const active = document.activeElement
    setField(isTextField(active) ? active : null)
    if (!isTextField(active) || !holdsDraft(active)) return setPaused(true)
    let isPressed = false
    const look = () => document.activeElement !== active && !isPressed && setPaused(true)
    // A focused field that is unmounted fires no `focusout`, so keys and clicks are checked, too.
    const events = ['focusout', 'focusin', 'keyup', 'click', 'pointerdown', 'pointerup', 'pointercancel'] as const
    const checkLater = ({ type }: Event) => {
      // Waits until the pointer is released: a button that takes the focus gets its click.
      if (type.startsWith('pointer')) isPressed = type === 'pointerdown'
      setTimeout(look)
    }
    for (const name of events) document.addEventListener(name, checkLater, true)
    return () => {
      for (const name of events) document.removeEventListener(name, checkLater, true)
    }
  }, [isWaiting])
  return { isPaused: isWaiting && isPaused, wasTyping: field !== null }
}
