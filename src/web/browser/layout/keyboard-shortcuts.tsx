import { Dialog } from '../components/dialog'
import { useStrings } from '../language'
import type { Strings } from '../strings/en'

type Help = Strings['help']

/** `keys` are the labels of the keyboard. `does` names the description in `strings/…/help.ts`. */
type Section = { title: keyof Help['sections']; entries: { keys: string[]; does: keyof Help['keys'] }[] }

/** The shortcuts that `?` shows. A part of the UI with its own shortcuts adds a section here. */
const keyboardShortcuts: Section[] = [
  {
    title: 'everywhere',
    entries: [
      { keys: ['?'], does: 'help' },
      { keys: ['Tab'], does: 'next' },
      { keys: ['Tab', 'Enter'], does: 'skip' },
      { keys: ['Enter'], does: 'choose' },
      { keys: ['Esc'], does: 'close' },
    ],
  },
  {
    title: 'tables',
    entries: [
      { keys: ['↑', '↓'], does: 'menu' },
      { keys: ['←', '→'], does: 'scroll' },
    ],
  },
  {
    title: 'grid',
    entries: [
      { keys: ['↑', '↓', '←', '→'], does: 'cell' },
      { keys: ['Ctrl', '↑'], does: 'edge' },
      { keys: ['Shift', '↓'], does: 'range' },
      { keys: ['Enter', 'F2'], does: 'edit' },
      { keys: ['Enter'], does: 'saveEdit' },
      { keys: ['Ctrl', 'Enter'], does: 'saveEditHere' },
      { keys: ['Esc'], does: 'cancelEdit' },
      { keys: ['Delete'], does: 'clear' },
      { keys: ['Space'], does: 'openRecord' },
      { keys: ['Shift', 'Space'], does: 'selectRow' },
      { keys: ['Ctrl', 'C'], does: 'copy' },
      { keys: ['Ctrl', 'V'], does: 'paste' },
      { keys: ['Ctrl', 'D'], does: 'fill' },
      { keys: ['Shift', 'F10'], does: 'cellMenu' },
      { keys: ['Ctrl', 'Z'], does: 'undo' },
      { keys: ['Ctrl', 'Enter'], does: 'newRow' },
      { keys: ['Ctrl', 'F'], does: 'search' },
      { keys: ['F9'], does: 'refresh' },
    ],
  },
]

/** The dialog that lists them. */
export function KeyboardShortcuts({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { help } = useStrings()
  return (
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
                      <kbd key={key}>{help.keyNames[key] ?? key}</kbd>
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
  )
}
