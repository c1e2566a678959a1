import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { Dialog } from '../components/dialog'
import { useStrings } from '../language'
import { keyboardShortcuts } from './keyboard-shortcuts'

/** `?` opens the list of shortcuts, unless the user is typing. */
export function KeyboardHelp() {
  const { help } = useStrings()
  const [isOpen, { open, close }] = useDisclosure(false)
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
      <Dialog title={help.keyboard} isOpen={isOpen} close={close}>
        <div className="form">
          {keyboardShortcuts.map(({ title, entries }) => (
            <section key={title} className="stack">
              <h3>{help.sections[title]}</h3>
              <dl className="pairs">
                {entries.map(({ keys, does }) => (
                  <div key={does} className="pair">
                    <dt>
                      {keys.map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </dt>
                    <dd>{help.keys[does]}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </Dialog>
    </>
  )
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))
