import { createContext, type Dispatch, type RefObject, type SetStateAction, useContext } from 'react'
import type { TableView } from '../../../../../tables/model'
import type { PlacedColumn } from '../../../records/list/column-layout'
import type { UrlSearch } from '../../../records/list/list-query'
import type { SavedView } from '../../../records/list/table-queries'
import type { CellMutations } from '../../../records/mutations/cell-mutations'
import type { RecordPages } from '../../../records/pages/record-pages'
import type { Selection } from './cell-selection'
import type { GridQuery } from './use-grid-query'
import type { Notice, Notifier } from './use-notice'

/** `any` is whether the user may write at all, `refusal` the message for a write that is not allowed. */
type GridRights = TableView['can'] & { any: boolean; refusal: string }

/**
 * A table in the grid: its records, their writes, the selected cells, and the user's rights. The page creates a new
 * model for each of its states, so an action works with the state in which it began.
 */
export type GridModel = {
  table: TableView
  view: SavedView
  change: (patch: (view: SavedView) => SavedView) => void
  /**
   * Opens a named view once it is loaded, unless the user has moved on; without a view, all records.
   * @param rest the order and the search of all records; the search is cleared otherwise
   */
  choose: (opening?: Promise<SavedView | undefined>, rest?: UrlSearch) => Promise<void>
  columns: PlacedColumn[]
  gridQuery: GridQuery
  /** The list of the query. */
  wanted: RecordPages
  /** The displayed list: the previous one until `wanted` has loaded. */
  records: RecordPages
  /** Why `wanted` cannot be displayed. */
  failure: unknown
  mutations: CellMutations
  selection: Selection
  select: Dispatch<SetStateAction<Selection>>
  /** Remembers the place in the list for the way back from a record. @param row the record's row */
  keepPlace: (row: number) => void
  notice: Notice | null
  /** For screen readers. The same text with another number is announced again. */
  announcement: { text: string; number: number }
  notifier: Notifier
  rights: GridRights
  /** The element that contains the grid. */
  frame: RefObject<HTMLDivElement | null>
}

const GridModelContext = createContext<GridModel | null>(null)

export const GridModelProvider = GridModelContext.Provider

export const useGridModel = (): GridModel => useContext(GridModelContext)!
