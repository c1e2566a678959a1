import { type ReactNode, useEffect, useRef } from 'react'

/** What was done last, above a list: it is scrolled into view when it changes. */
export function ListNotice({ text, children }: { text: string; children?: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (text !== '') frame.current?.scrollIntoView({ block: 'nearest' })
  }, [text])
  return (
    <div ref={frame} className="history-notice">
      <p role="status" className="notice">
        {text}
      </p>
      {children}
    </div>
  )
}
