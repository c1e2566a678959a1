import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { documentsQuery } from '../../../api/documents-query'
import { useIsViewing } from '../../../api/view-as'
import { useStrings } from '../../../language'
import { offersDocument } from '../../../records/list/record-templates'
import type { DraftRow } from '../../../records/pages/draft-row'
import type { DisplayedRow } from '../../../records/pages/record-pages'
import { cellKind, isEditable } from '../../../records/values/cell-kinds'
import type { RecordValues } from '../../../records/values/cell-values'
import { isGeneratedKey } from '../../../records/values/column'
import { rangeOf } from '../model/cell-selection'
import { useGridModel } from '../model/grid-model'
import type { CellMenuItem, CellMenuState } from './cell-menu'
import type { RowSelectionState } from './use-row-selection'

type CellMenuOptions = {
  rowSelection: RowSelectionState
  openRecord: (row: number) => void
  newRow: () => void
  clear: () => void
  undo: () => void
  pasteText: (text: string) => void
  createTogether: (rows: readonly DraftRow[]) => Promise<number | null>
  makeDocument: (keys: readonly string[]) => void
}

/** The context menu of the selected cells and of their rows. */
export function useCellMenu(options: CellMenuOptions) {
  const { rowSelection, openRecord, newRow, clear, undo, pasteText, createTogether, makeDocument } = options
  const { table, records, selection, notifier, rights: can } = useGridModel()
  const { grid, documents, links } = useStrings()
  const isViewing = useIsViewing()
  const [menu, setMenu] = useState<CellMenuState | null>(null)
  const [shared, setShared] = useState<DisplayedRow | null>(null)
  const { data: templates } = useQuery({ ...documentsQuery(), enabled: menu !== null })

  /** The rows of the selected range. */
  async function selectedRows(): Promise<DisplayedRow[]> {
    const { top, bottom } = rangeOf(selection)
    return records.range(top, bottom)
  }

  async function paste() {
    const text = await navigator.clipboard.readText().catch(() => null)
    if (text === null) notifier.show(grid.pasteByKey)
    else if (text !== '') pasteText(text)
  }

  async function duplicate() {
    const rows = await selectedRows().catch(notifier.showError)
    const values = rows?.filter(({ key }) => key !== null).map(({ record }) => copyOf(table, record)) ?? []
    if (values.length === 0) return
    const added = records.drafts.add(
      values.map((pending) => ({ pending })),
      { areCopies: true },
    )
    records.notify()
    if ((await createTogether(added)) !== null) notifier.show(grid.recordsCreated(values.length), can.delete ? undo : undefined)
  }

  async function withKeys(act: (keys: string[]) => void) {
    const rows = await selectedRows().catch(notifier.showError)
    const keys = rows?.flatMap(({ key }) => key ?? []) ?? []
    if (keys.length) act(keys)
  }

  const discard = (drafts: DraftRow[]) => {
    records.drafts.remove(drafts)
    records.notify()
  }

  /** @param place in pixels of the window */
  function open({ x, y }: { x: number; y: number }) {
    const { active } = selection
    const { top, bottom } = rangeOf(selection)
    const count = bottom - top + 1
    const row = records.rowAt(active.row)
    if (!row) return
    const drafts = records.drafts.rows.slice(Math.max(0, top - records.recordCount), bottom - records.recordCount + 1)
    const begun = row.isDraft ? drafts.filter((draft) => draft.isUnsaved && !draft.isSaving) : []
    const isKept = row.key !== null
    const isChangeable = row.isDraft ? can.create : can.update
    const isCell = active.column >= 0
    const items = (isShown: boolean, ...group: CellMenuItem[]) => (isShown ? group : [])
    setMenu({
      x,
      y,
      groups: [
        [
          ...items(isKept, { label: grid.openRecord, act: () => openRecord(active.row) }),
          ...items(isKept && count === 1 && !isViewing, { label: links.share, act: () => setShared(row) }),
          ...items(isKept, { label: documents.make(count), documentOf: count, act: () => void withKeys(makeDocument) }),
        ],
        [
          ...items(isCell && isChangeable, { label: grid.cut, keys: grid.ctrl('X'), act: () => void document.execCommand('cut') }),
          ...items(isCell, { label: grid.copy, keys: grid.ctrl('C'), act: () => void document.execCommand('copy') }),
          ...items(isCell && isChangeable, { label: grid.paste, keys: grid.ctrl('V'), act: () => void paste() }),
          ...items(isCell && isChangeable, {
            label: grid.clear,
            keys: rowSelection.isDeletedByKey ? undefined : grid.deleteKey,
            act: clear,
          }),
        ],
        [
          ...items(can.create, { label: grid.newRow, keys: grid.ctrl(grid.enterKey), act: newRow }),
          ...items(can.create && isKept, { label: grid.duplicate(count), act: () => void duplicate() }),
        ],
        [
          ...items(can.delete && isKept, {
            label: `${grid.deleteAction(count)}…`,
            isDangerous: true,
            act: () => void withKeys(rowSelection.askToDelete),
          }),
          ...items(begun.length > 0, { label: grid.discardRows(begun.length), isDangerous: true, act: () => discard(begun) }),
        ],
      ],
    })
  }
  const isOffered = ({ documentOf }: CellMenuItem) => !documentOf || offersDocument(templates, table, documentOf)
  const offered = menu && { ...menu, groups: menu.groups.map((group) => group.filter(isOffered)) }
  return { menu: offered, open, close: () => setMenu(null), shared, endSharing: () => setShared(null) }
}

/** The readable values of a record, for a copy of it. Files, and records that link to it, belong to one record only. */
function copyOf(table: TableView, record: RecordValues): RecordValues {
  const isCopied = (column: TableView['columns'][number]) =>
    column.name in record &&
    isEditable(column) &&
    cellKind(column) !== 'files' &&
    column.type !== 'reverseLinks' &&
    !isGeneratedKey(table, column.name)
  return Object.fromEntries(table.columns.filter(isCopied).map(({ name }) => [name, record[name]]))
}
