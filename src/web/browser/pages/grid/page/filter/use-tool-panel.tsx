import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'

/** A panel between the tools and the records. When it closes, the button that opened it gets the focus back. */
export function useToolPanel(title: string, content: (close: () => void) => ReactNode) {
  const [isOpen, setOpen] = useState(false)
  const target = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    target.current?.focus()
  }
  const closeByEscape = (event: KeyboardEvent) => {
    // Escape first closes the list of a select.
    const hasList = event.target instanceof Element && event.target.getAttribute('aria-expanded') === 'true'
    if (event.key === 'Escape' && !hasList) close()
  }
  const panel = isOpen ? (
    <section className="filter-panel" aria-label={title} onKeyDownCapture={closeByEscape}>
      {content(close)}
    </section>
  ) : null
  return { panel, setOpen, button: { ref: target, 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) } }
}
