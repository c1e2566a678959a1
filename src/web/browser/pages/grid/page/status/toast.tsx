import { Button, CloseButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useStrings } from '../../../../language'
import type { Notice } from '../../model/use-notice'

const [durationMs, undoDurationMs] = [6_000, 10_000]

/**
 * The last message. It disappears after a while, but not while it is hovered or has the focus; an error stays until it
 * is closed. Always rendered, so that screen readers announce its text when it changes.
 */
export function Toast({ notice, close }: { notice: Notice | null; close: () => void }) {
  const { grid, history, shell } = useStrings()
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (!notice || notice.isFailure || isHeld) return
    const timer = setTimeout(close, notice.undo ? undoDurationMs : durationMs)
    return () => clearTimeout(timer)
  }, [notice, isHeld, close])
  // React fires no blur event for a button that it removes.
  const leave = () => {
    setHeld(false)
    close()
  }
  const undo = () => {
    leave()
    notice?.undo?.()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps the message visible
    <div
      className={notice ? 'grid-toast' : 'grid-toast is-empty'}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p role="status" className={notice?.isFailure ? 'grid-notice is-failure' : 'grid-notice'}>
        {notice?.text ?? ''}
      </p>
      {notice?.undo ? (
        <Button size="compact-sm" variant="default" onClick={undo}>
          {grid.undoAction}
        </Button>
      ) : null}
      {notice?.trash ? (
        <Link to="/tables/$tableId/trash" params={{ tableId: notice.trash }}>
          {history.trash}
        </Link>
      ) : null}
      {notice ? <CloseButton size="sm" aria-label={shell.close} onClick={leave} /> : null}
    </div>
  )
}
