import { useEffect, useState } from 'react'
import type { FileView } from '../../../../../attachments/model'
import { useStrings } from '../../../language'
import { cellKind } from '../../../records/values/cell-kinds'
import { cellFiles, type GridColumn } from '../../../records/values/cell-values'
import type { CellPosition } from '../model/cell-selection'
import { displayedValue } from '../model/displayed-value'
import { useGridModel } from '../model/grid-model'

type ViewedFiles = { files: readonly FileView[]; index: number }

const takesFiles = ({ type, readOnly }: GridColumn) => type === 'attachment' && !readOnly

/** The files of cells: the upload by drop and paste, and the viewer. */
export function useCellFiles() {
  const { grid } = useStrings()
  const model = useGridModel()
  const { columns, records, selection, rights, notifier } = model
  const [viewed, setViewed] = useState<ViewedFiles | null>(null)
  useFileGuard()

  /** The cell that takes files dropped at a position: the cell there, or the only cell for files in its row. */
  function fileTarget(position: CellPosition | null): CellPosition | null {
    const row = position && records.rowAt(position.row)
    if (!row?.key || row.isDraft || !rights.update) return null
    const takers = columns.flatMap(({ column }, index) => (takesFiles(column) ? [index] : []))
    if (takers.includes(position!.column)) return position
    return takers.length === 1 ? { row: position!.row, column: takers[0]! } : null
  }

  function uploadFiles({ row, column: number }: CellPosition, files: File[]) {
    const [column, key] = [columns[number]?.column, records.rowAt(row)?.key]
    if (!column || !key) return
    notifier.show(grid.uploading(files.length, column.name))
    import('../../lazy-pages').then(({ uploadToCell }) => uploadToCell(model, key, column, files)).catch(notifier.showError)
  }

  /** Uploads files to the active cell. */
  function pasteFiles(files: File[]) {
    const { active } = selection
    const [column, row] = [columns[active.column]?.column, records.rowAt(active.row)]
    if (!row || column?.type !== 'attachment') return
    if (row.isDraft) return notifier.show(grid.filesLater)
    if (!rights.update) return notifier.show(rights.refusal)
    if (column.readOnly) return notifier.show(grid.readOnlyColumn(column.name))
    if (!row.key) return notifier.show(grid.noPrimaryKey)
    uploadFiles(active, files)
  }

  function viewFiles({ row, column: number }: CellPosition, fileId?: string): boolean {
    const column = columns[number]?.column
    const files = column && cellKind(column) === 'files' ? cellFiles(displayedValue(records, row, column)) : []
    if (files.length === 0) return false
    setViewed({
      files,
      index: Math.max(
        0,
        files.findIndex(({ id }) => id === fileId),
      ),
    })
    return true
  }

  /** @param index of the displayed file; null closes the viewer */
  const view = (index: number | null) => setViewed((before) => (before && index !== null ? { ...before, index } : null))
  return { fileTarget, uploadFiles, pasteFiles, viewFiles, viewed, view }
}

/** Prevents the browser from replacing the page with a file that is dropped elsewhere. */
function useFileGuard() {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    }
    window.addEventListener('dragover', refuse)
    window.addEventListener('drop', refuse)
    return () => {
      window.removeEventListener('dragover', refuse)
      window.removeEventListener('drop', refuse)
    }
  }, [])
}
