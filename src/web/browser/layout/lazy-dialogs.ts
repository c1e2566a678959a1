import { type ComponentType, createContext } from 'react'
import type { TableView } from '../../../tables/model'

export type TableDialogsProps = {
  table: TableView
  sections: readonly string[]
  open: 'rename' | 'section' | 'delete' | null
  close: () => void
  move: (section: string | null) => Promise<unknown>
}

type LazyDialogs = {
  TableDialogs: ComponentType<TableDialogsProps>
  KeyboardShortcuts: ComponentType<{ isOpen: boolean; close: () => void }>
}

/**
 * Dialogs of the layout whose code is not in the initial bundle. The router provides them, since `layout` imports no
 * page.
 */
export const LazyDialogsContext = createContext<LazyDialogs>({ TableDialogs: () => null, KeyboardShortcuts: () => null })
