import { Button, Modal } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useStrings } from '../language'
import { useLazyMount } from './use-lazy-mount'

type DialogProps = { title: string; isOpen: boolean; close: () => void; children: ReactNode; size?: string; isShownOnce?: boolean }

/**
 * A modal dialog: it traps the focus, closes on Escape, and restores the focus afterwards. A click outside closes it
 * only while nothing has been typed. With `isShownOnce` only its own button closes it, since its content cannot be
 * shown again.
 */
export function Dialog({ title, isOpen, close, children, size, isShownOnce = false }: DialogProps) {
  const { shell } = useStrings()
  const { isMounted, isShown } = useLazyMount(isOpen)
  const [hasInput, setHasInput] = useState(false)
  useEffect(() => {
    if (!isOpen) setHasInput(false)
  }, [isOpen])
  if (!isMounted) return null
  return (
    <Modal
      opened={isShown}
      onClose={close}
      title={title}
      size={size}
      closeOnEscape={!isShownOnce}
      closeOnClickOutside={!isShownOnce && !hasInput}
      onInput={() => setHasInput(true)}
      withCloseButton={!isShownOnce}
      closeButtonProps={{ 'aria-label': shell.close }}
    >
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
