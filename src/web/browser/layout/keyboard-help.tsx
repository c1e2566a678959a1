import { useDisclosure } from '@mantine/hooks'
import { use, useEffect } from 'react'
import { useLazyMount } from '../components/use-lazy-mount'
import { useStrings } from '../language'
import { LazyDialogsContext } from './lazy-dialogs'

/** `?` opens the list of shortcuts, unless the user is typing. */
export function KeyboardHelp() {
  const { help } = useStrings()
  const { KeyboardShortcuts } = use(LazyDialogsContext)
  const [isOpen, { open, close }] = useDisclosure(false)
  const { isMounted } = useLazyMount(isOpen)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === '?' && !event.defaultPrevented && !isTyping(event.target)) open()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [open])
  return (
    <>
      <button type="button" className="header-link only-wide" aria-label={help.keyboard} title={help.keyboard} onClick={open}>
        ?
      </button>
      {isMounted ? <KeyboardShortcuts isOpen={isOpen} close={close} /> : null}
    </>
  )
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))
