import { type CSSVariablesResolver, createTheme, localStorageColorSchemeManager, type MantineColorsTuple } from '@mantine/core'
import type { FocusEvent, MouseEvent } from 'react'

const forest: MantineColorsTuple = [
  '#eef5f2',
  '#dcebe5',
  '#b9d6cb',
  '#8fc7b4',
  '#68a892',
  '#4b8c77',
  '#3b7363',
  '#2f5d50',
  '#254b40',
  '#193830',
]
const dark: MantineColorsTuple = [
  '#e6e9ea',
  '#c3c9cc',
  '#a3acb1',
  '#6f797e',
  '#3c4448',
  '#31383c',
  '#23292c',
  '#191d1f',
  '#131618',
  '#0d0f10',
]
const gray: MantineColorsTuple = [
  '#f7f7f5',
  '#f0f1ee',
  '#e5e7e3',
  '#d9dcd8',
  '#c3c8c5',
  '#8a9297',
  '#687177',
  '#525b61',
  '#384045',
  '#20262a',
]

const fontFamily = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'
const fontFamilyMonospace = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'

/**
 * Returns the focus before the item acts. A dialog that the item opens returns the focus to the element that had it,
 * and the item will be unmounted. Mantine returns the focus later, and not if a dialog has it by then.
 */
function returnFocusFromItem({ target, currentTarget }: MouseEvent<HTMLElement>) {
  const button = document.getElementById(currentTarget.getAttribute('aria-labelledby') ?? '')
  if ((target as Element).closest('[role="menuitem"]')) button?.focus({ preventScroll: true })
}

/** Selects the label of the chosen option, so that typing replaces it and searches for another option. */
const selectText = ({ currentTarget: field }: FocusEvent<HTMLInputElement>) => field.readOnly || field.select()

/** A click places the cursor after the field gets the focus. While the list is open, the user may be typing. */
function selectTextByClick({ currentTarget: field }: MouseEvent<HTMLInputElement>) {
  if (!field.readOnly && field.ariaExpanded !== 'true') field.addEventListener('click', () => field.select(), { once: true })
}

export const theme = createTheme({
  primaryColor: 'forest',
  primaryShade: { light: 7, dark: 6 },
  colors: { forest, dark, gray },
  white: '#ffffff',
  black: '#20262a',
  fontFamily,
  fontFamilyMonospace,
  headings: { fontFamily, fontWeight: '620' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { inherit: true } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 }, transitionProps: { duration: 120 } } },
    // A `header` element outside the page's sections would be a second banner landmark.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    // The focus placeholder is not a menu item, and a menu may contain nothing else.
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 }, withInitialFocusPlaceholder: false } },
    MenuDropdown: { defaultProps: { onClickCapture: returnFocusFromItem } },
    Select: { defaultProps: { onFocus: selectText, onMouseDown: selectTextByClick } },
    // A list that grows while it is open moves to the side that has room for it.
    Combobox: { defaultProps: { preventPositionChangeWhenVisible: false } },
    Loader: { defaultProps: { size: 'sm', type: 'dots' } },
  },
})

/** Colors that Mantine renders with too little contrast for WCAG AA, and the backgrounds of pages. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b646a',
    '--mantine-color-placeholder': '#6b747a',
    '--mantine-color-error': '#b3261e',
    '--app-ground': '#f6f6f3',
    '--app-surface': '#ffffff',
    '--app-line': '#dfe2de',
    '--app-accent-soft': '#e8f1ed',
    '--app-accent-text': '#254b40',
    '--app-danger': '#b3261e',
    '--app-warning-soft': '#fdf3df',
    '--app-warning-text': '#6b4a08',
    '--app-chip-share': '20%',
  },
  dark: {
    '--mantine-color-dimmed': '#a3acb1',
    '--mantine-color-placeholder': '#98a1a6',
    '--mantine-color-error': '#ff9d8f',
    '--app-ground': '#131618',
    '--app-surface': '#191d1f',
    '--app-line': '#31383c',
    '--app-accent-soft': '#21302b',
    '--app-accent-text': '#b9d6cb',
    '--app-danger': '#ff9d8f',
    '--app-warning-soft': '#33290f',
    '--app-warning-text': '#f0cf86',
    '--app-chip-share': '34%',
  },
})

export const colorSchemes = localStorageColorSchemeManager({ key: 'rowhouse-color-scheme' })
