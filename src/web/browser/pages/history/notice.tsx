import { type ReactNode, useEffect, useRef } from 'react'

/** Reports the last action above a list, and scrolls into view when its text changes. */
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
