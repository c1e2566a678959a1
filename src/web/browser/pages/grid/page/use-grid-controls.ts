import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useCellFiles } from '../edit/use-cell-files'
import { toCopiedCells, useClipboard } from '../edit/use-clipboard'
import { useDraftRows } from '../edit/use-draft-rows'
import { useEditing } from '../edit/use-editing'
import { useRanges } from '../edit/use-ranges'
import { useGridModel } from '../model/grid-model'
import { useSearchMarks } from '../view/use-search-marks'
import { useDocumentsDialog } from './status/documents-dialog'
import { useCellMenu } from './use-cell-menu'
import { useColumnActions } from './use-column-actions'
import { useOpenRecord } from './use-open-record'
import { useRefresh } from './use-refresh'
import { useRowSelection } from './use-row-selection'
import { useUndo } from './use-undo'

export type GridControls = ReturnType<typeof useGridControls>

/** The actions of keys, menus and buttons in the grid, and its state. */
export function useGridControls() {
  const { frame, records, select, gridQuery } = useGridModel()
  const beside = useOpenRecord()
  const { openRecord } = beside
  const draftRows = useDraftRows()
  const { createTogether } = draftRows
  const files = useCellFiles()
  const editing = useEditing({
    openRecord,
    openForm: beside.newRecord,
    viewFiles: files.viewFiles,
    leaveDrafts: () => void draftRows.leave(null, true),
  })
  const { refresh, isRefreshing } = useRefresh(editing.editing !== null)
  const rowSelection = useRowSelection()
  const columns = useColumnActions(rowSelection.toggleAll)
  const { undo, redo, deleteRecord } = useUndo()
  const ranges = useRanges({ undo, createTogether })
  const { clear, fill, fillSelection, paste } = ranges
  useSearchMarks(frame, gridQuery.applied.q)
  useClipboard({ paste, pasteFiles: files.pasteFiles, clear })
  const documents = useDocumentsDialog()
  const cellMenu = useCellMenu({
    rowSelection,
    openRecord,
    newRow: editing.newRow,
    clear,
    undo,
    pasteText: (text) => paste(toCopiedCells(text)),
    createTogether,
    makeDocument: documents.open,
  })
  const { openMenu } = useStableCallbacks({ openMenu: cellMenu.open })
  const actions = {
    ...editing,
    openMenu,
    clear: () => (rowSelection.isDeletedByKey ? rowSelection.setDeleting(true) : clear()),
    fill,
    fillSelection,
    select,
    fileTarget: files.fileTarget,
    uploadFiles: files.uploadFiles,
    viewFiles: files.viewFiles,
    toggleCheck: rowSelection.toggle,
    toggleAll: rowSelection.toggleAll,
    undo,
    redo,
    deleteRecord,
    openRecord: (row: number) => (records.rowAt(row)?.isDraft ? editing.newRow() : openRecord(row)),
  }
  return { actions, beside, cellMenu, columns, documents, draftRows, editing, files, isRefreshing, ranges, refresh, rowSelection }
}
