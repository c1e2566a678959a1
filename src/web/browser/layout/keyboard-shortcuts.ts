import type { Strings } from '../strings/en'

type Help = Strings['help']

/** Keys are written as they stand on the keyboard; those of one entry belong together. What each does is in `strings/…/help.ts`. */
type Section = { title: keyof Help['sections']; entries: { keys: string[]; does: keyof Help['keys'] }[] }

/** What `?` shows. A part of the UI that takes keys of its own adds its section here. */
export const keyboardMap: Section[] = [
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
      { keys: ['Esc'], does: 'cancelEdit' },
      { keys: ['Delete'], does: 'clear' },
      { keys: ['Shift', 'Space'], does: 'selectRow' },
      { keys: ['Ctrl', 'C'], does: 'copy' },
      { keys: ['Ctrl', 'V'], does: 'paste' },
      { keys: ['Ctrl', 'Z'], does: 'undo' },
      { keys: ['Ctrl', 'Enter'], does: 'newRow' },
      { keys: ['Ctrl', 'F'], does: 'search' },
    ],
  },
]
