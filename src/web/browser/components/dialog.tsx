import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useStrings } from '../language'
import { useLate } from './use-lazy-mount'

type DialogProps = { title: string; isOpen: boolean; close: () => void; children: ReactNode; size?: string }

/** A window over the page: the focus stays in it, Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, isOpen, close, children, size }: DialogProps) {
  const { shell } = useStrings()
  const { isMade, isShown } = useLate(isOpen)
  if (!isMade) return null
  return (
    <Modal opened={isShown} onClose={close} title={title} size={size} closeButtonProps={{ 'aria-label': shell.close }}>
      {children}
    </Modal>
  )
}

export function CancelButton({ close }: { close: () => void }) {
  const { shell } = useStrings()
  return (
    <Button variant="default" onClick={close}>
      {shell.cancel}
    </Button>
  )
}
