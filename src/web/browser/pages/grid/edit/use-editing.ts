import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { TableView } from '../../../../../tables/model'
import { useUser } from '../../../api/use-user'
import { useStrings } from '../../../language'
import { missingColumns } from '../../../records/pages/draft-row'
import { cellKind, isEditable } from '../../../records/values/cell-kinds'
import type { GridColumn } from '../../../records/values/cell-values'
import { isGeneratedType } from '../../../records/values/column'
import { problemMessage } from '../../../values/typed-dates'
import { UnreadableInput } from '../../../values/unreadable-input'
import { type CellPosition, nextTabStop, selectByTab, selectCell } from '../model/cell-selection'
import { displayedValue } from '../model/displayed-value'
import { useGridModel } from '../model/grid-model'
import type { Editing } from '../view/grid'
import { maxRows, rowLayout } from '../view/row-layout'
import { parseTypedBoolean, roundToColumn } from './cell-input'
import type { ExitDirection } from './editor-keys'

type EditingOptions = {
  openRecord: (row: number) => void
  /** Opens the form of a new record. */
  openForm: () => void
  /** Opens the viewer. @returns false if the cell has no files */
  viewFiles: (position: CellPosition) => boolean
  /** Saves the draft rows. */
  leaveDrafts: () => void
}

/** The edits of single cells, and new rows. */
export function useEditing({ openRecord, openForm, viewFiles, leaveDrafts }: EditingOptions) {
  const { grid } = useStrings()
  const { table, view, records, mutations, columns, selection, select, rights, notifier } = useGridModel()
  const isAdmin = useUser().role === 'admin'
  const [editing, setEditing] = useState<Editing | null>(null)
  const previousValue = useRef<unknown>(null)
  const columnAt = (number: number) => columns[number]?.column

  function edit(place: CellPosition, typed: string | null) {
    const [column, row] = [columnAt(place.column), records.rowAt(place.row)]
    if (!column || !row) return
    if (place.row !== selection.active.row || place.column !== selection.active.column) select(selectCell(place.row, place.column))
    // Space opens the record, but it toggles a box that can be edited and begins the text of a new row.
    const isAllowed = row.isDraft ? rights.create : rights.update
    const isBox = cellKind(column) === 'boolean' && isEditable(column) && isAllowed
    if (typed === ' ' && row.key && !isBox) return openRecord(place.row)
    if (typed === null && viewFiles(place)) return
    if (!isAllowed) return notifier.show(rights.refusal)
    if (cellKind(column) === 'files') return row.isDraft ? notifier.show(grid.filesLater) : openRecord(place.row)
    if (!isEditable(column)) return row.key && typed === null ? openRecord(place.row) : notifier.show(lockedReason(column))
    if (!row.key && !row.isDraft) return notifier.show(grid.noPrimaryKey)
    previousValue.current = displayedValue(records, place.row, column)
    if (row.key) void mutations.prefetchVersion(row.key)
    if (cellKind(column) === 'boolean') {
      const value = typed?.trim() ? parseTypedBoolean(typed) : previousValue.current !== true
      return value === null ? notifier.showFailure(grid.notBoolean(typed!)) : writeCell(place, column, value)
    }
    notifier.clear()
    setEditing({ typed })
  }

  /** Access rules do not restrict administrators. */
  const lockedReason = ({ name, type }: GridColumn) =>
    isAdmin || isGeneratedType(type) ? grid.setByDatabase(name) : grid.readOnlyColumn(name)

  /** For a click on a checkbox. */
  function toggle(place: CellPosition) {
    const column = columnAt(place.column)
    if (column && isEditable(column)) edit(place, null)
  }

  function writeCell(place: CellPosition, column: GridColumn, typed: unknown) {
    const row = records.rowAt(place.row)
    const rounded = roundToColumn(typed, column)
    const value = rounded ?? typed
    if (rounded !== null) notifier.show(grid.rounded(1))
    if (value instanceof UnreadableInput) return refuse(place.row, column, value)
    if (row?.isDraft) records.setDraft(place.row, { [column.name]: value })
    else if (row?.key) void mutations.write([{ key: row.key, column: column.name, before: previousValue.current, after: value }])
  }

  /** Keeps the text of invalid input in its cell. */
  function refuse(at: number, column: GridColumn, { text, problem }: UnreadableInput) {
    const reason = problemMessage(grid.inputProblems, problem)
    records.refuse(at, { [column.name]: { text, reason } })
    notifier.showFailure(`${column.name}: ${reason}`, records.drafts.rows[at - records.recordCount]?.group)
  }

  function commit(place: CellPosition, value: unknown, leave: ExitDirection) {
    setEditing(null)
    const column = columnAt(place.column)
    if (column) writeCell(place, column, value)
    const size = { rows: records.length, columns: columns.length }
    if (leave === 'stay') return
    if (leave === 'here') return records.rowAt(place.row)?.isDraft ? newRow() : undefined
    if (leave === 'left' || leave === 'right') {
      const next = nextTabStop(place, leave === 'left', size)
      return next ? select(selectByTab(selection, next)) : undefined
    }
    const missing = leave === 'up' ? -1 : firstMissing(place.row)
    if (missing >= 0) {
      records.markDraft(place.row, Object.fromEntries(missingAt(place.row).map((name) => [name, grid.valueRequired])))
      return select(selectByTab(selection, { ...place, column: missing }))
    }
    const row = place.row + (leave === 'up' ? -1 : 1)
    const start = leave === 'next' ? selection.tabStart : undefined
    if (row >= 0 && row < size.rows) select(selectCell(row, start ?? place.column))
  }

  /** The columns for which a draft row still needs a value. */
  function missingAt(at: number): string[] {
    const row = records.rowAt(at)
    return row?.isDraft && row.pending ? missingColumns(table, row) : []
  }

  /** The first of these columns that is visible; -1 if there is none. */
  function firstMissing(at: number): number {
    const names = missingAt(at)
    return columns.findIndex(({ column }) => names.includes(column.name))
  }

  /** Until the list is loaded and counted, its end is unknown. */
  const hasEnd = records.isLoaded && records.counting === 0

  /** Goes to the empty row at the end. First saves the row that is left, or asks for its missing values. */
  const newRow = () => {
    if (!rights.create) return notifier.show(rights.refusal)
    if (!hasEnd) return setRowWanted(true)
    // The grid cannot show the end of a longer list.
    if (records.recordCount >= maxRows(rowLayout(view).height)) return openForm()
    const missing = firstMissing(selection.active.row)
    if (missing >= 0) leaveDrafts()
    const first = columns.findIndex(({ column }) => isTypedFirst(column, table))
    const target = missing < 0 ? selectCell(records.length - 1, Math.max(0, first)) : selectCell(selection.active.row, missing)
    flushSync(() => select(target))
    // The focus moves from the button into the row.
    document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus({ preventScroll: true })
  }

  const [isRowWanted, setRowWanted] = useState(false)
  useEffect(() => {
    if (!isRowWanted || !hasEnd) return
    setRowWanted(false)
    // Outside the effect, React can render synchronously.
    queueMicrotask(newRow)
  })

  const collapse = () => selection.head !== selection.active && select({ active: selection.active, head: selection.active })
  return { editing, edit, toggle, commit, cancel: () => setEditing(null), newRow, escape: collapse }
}

/** Whether typing in a new row can begin in a column. The database usually generates an integer key. */
const isTypedFirst = (column: GridColumn, { primaryKey }: TableView): boolean =>
  isEditable(column) && cellKind(column) !== 'files' && !(column.type === 'bigint' && primaryKey.includes(column.name))
