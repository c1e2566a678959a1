import { useEffect, useState } from 'react'
import type { FileView } from '../../../../../attachments/model'
import { toErrorMessage } from '../../../api/api-error'
import { queryClient } from '../../../api/queries'
import { attachmentsUrl } from '../../../api/urls'
import { useStrings } from '../../../language'
import { uploadQueue } from '../../../records/mutations/upload-queue'
import { cellKind } from '../../../records/values/cell-kinds'
import { cellFiles, type GridColumn } from '../../../records/values/cell-values'
import { recordQuery } from '../../../records/values/record-queries'
import type { CellPosition } from '../model/cell-selection'
import { displayedValue } from '../model/displayed-value'
import { useGridModel } from '../model/grid-model'

type ViewedFiles = { files: readonly FileView[]; index: number }

const takesFiles = ({ type, readOnly }: GridColumn) => type === 'attachment' && !readOnly

/** The files of cells: their upload by drop and paste, and the viewer. */
export function useCellFiles() {
  const strings = useStrings()
  const { grid } = strings
  const { table, columns, records, mutations, selection, rights, notifier } = useGridModel()
  const [viewed, setViewed] = useState<ViewedFiles | null>(null)
  useFileGuard()

  /** The cell that takes files which are dropped at a place: the cell there, or the only one of its row. */
  function fileTarget(place: CellPosition | null): CellPosition | null {
    const row = place && records.rowAt(place.row)
    if (!row?.key || row.isDraft || !rights.update) return null
    const takers = columns.flatMap(({ column }, index) => (takesFiles(column) ? [index] : []))
    if (takers.includes(place!.column)) return place
    return takers.length === 1 ? { row: place!.row, column: takers[0]! } : null
  }

  /** Shows the files of a record that was changed meanwhile, also after its table was closed. */
  async function reload(key: string) {
    const query = recordQuery(table, key)
    // A request from before would not have the file.
    await queryClient.cancelQueries(query)
    const { record } = await queryClient.fetchQuery({ ...query, staleTime: 0 })
    mutations.recordSaved(key, [])
    mutations.list.replace(key, record)
  }

  function uploadFiles({ row, column: number }: CellPosition, files: File[]) {
    const [column, key] = [columns[number]?.column, records.rowAt(row)?.key]
    if (!column || !key) return
    const queue = uploadQueue(attachmentsUrl(table.id, key, column.id))
    queue.onStored = () => reload(key)
    queue.onFailed = (file, failure) => notifier.showFailure(`${file.name}: ${toErrorMessage(failure, strings)}`)
    queue.add(files)
    notifier.show(grid.uploading(files.length, column.name))
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

/** A file that is dropped where nothing takes it would open in place of the table. */
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
