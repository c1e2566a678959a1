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
    const look = () => document.activeElement !== active && setPaused(true)
    // A focused field that is unmounted fires no `focusout`, so keys and clicks are checked, too.
    const events = ['focusout', 'focusin', 'keyup', 'click'] as const
    const checkLater = () => setTimeout(look)
    for (const name of events) document.addEventListener(name, checkLater)
    return () => {
      for (const name of events) document.removeEventListener(name, checkLater)
    }
  }, [isWaiting])
  return { isPaused: isWaiting && isPaused, wasTyping: field !== null }
}
