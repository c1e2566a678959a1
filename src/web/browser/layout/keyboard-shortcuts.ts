import type { Strings } from '../strings/en'

type Help = Strings['help']

/** `keys` are the labels of the keyboard. `does` names the description in `strings/…/help.ts`. */
type Section = { title: keyof Help['sections']; entries: { keys: string[]; does: keyof Help['keys'] }[] }

/** The shortcuts that `?` shows. A part of the UI with its own shortcuts adds a section here. */
export const keyboardShortcuts: Section[] = [
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
