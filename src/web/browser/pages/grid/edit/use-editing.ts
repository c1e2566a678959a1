import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { TableView } from '../../../../../tables/model'
import { useStrings } from '../../../language'
import { cellKind, isEditable } from '../data/cell-kinds'
import type { CellMutations } from '../data/cell-mutations'
import type { GridColumn } from '../data/cell-values'
import { missingColumns } from '../data/draft-row'
import type { DisplayedRow, RecordPages } from '../data/record-pages'
import type { CellChange } from '../data/undo-stack'
import { type CellPosition, nextTabStop, type Range, rangeOf, type Selection, selectCell } from '../view/cell-selection'
import type { PlacedColumn } from '../view/column-layout'
import { displayedValue, type Editing } from '../view/grid'
import type { Notifier } from '../view/use-notice'
import { InvalidJsonInput, parseInput, parseTypedBoolean } from './cell-input'
import type { CellBlock } from './clipboard-formats'
import type { ExitDirection } from './editor-keys'

type EditingOptions = {
  table: TableView
  records: RecordPages
  mutations: CellMutations
  columns: PlacedColumn[]
  selection: Selection
  select: (selection: Selection) => void
  canEdit: boolean
  readOnlyReason: string
  notifier: Notifier
  openRecord: (row: number) => void
  /** Saves the draft rows. */
  leaveDrafts: () => void
}

/** The maximum number of cells to paste or clear at once. */
export const maxCells = 20_000

/** All edits: single cells, clearing and pasting ranges, new rows. */
export function useEditing({
  table,
  records,
  mutations,
  columns,
  selection,
  select,
  canEdit,
  readOnlyReason,
  notifier,
  openRecord,
  leaveDrafts,
}: EditingOptions) {
  const { grid, record } = useStrings()
  const [editing, setEditing] = useState<Editing | null>(null)
  const previousValue = useRef<unknown>(null)
  const columnAt = (number: number) => columns[number]?.column

  function edit(place: CellPosition, typed: string | null) {
    const [column, row] = [columnAt(place.column), records.rowAt(place.row)]
    if (!column || !row) return
    if (place.row !== selection.active.row || place.column !== selection.active.column) select(selectCell(place.row, place.column))
    if (!canEdit) return notifier.show(readOnlyReason)
    if (cellKind(column) === 'files') return row.isDraft ? notifier.show(grid.filesLater) : openRecord(place.row)
    if (!isEditable(column)) return row.key && typed === null ? openRecord(place.row) : notifier.show(grid.setByDatabase(column.name))
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

  /** For a click on the box of a boolean. */
  function toggle(place: CellPosition) {
    const column = columnAt(place.column)
    if (column && isEditable(column)) edit(place, null)
  }

  function writeCell(place: CellPosition, column: GridColumn, value: unknown) {
    const row = records.rowAt(place.row)
    if (value instanceof InvalidJsonInput) return showInvalidJson(place.row, column)
    if (row?.isDraft) {
      const { [column.name]: _gone, ...errors } = row.errors ?? {}
      records.setDraft(place.row, { pending: { ...row.pending, [column.name]: value }, errors })
    } else if (row?.key) void mutations.write([{ key: row.key, column: column.name, before: previousValue.current, after: value }])
  }

  /** Shows the error of input that cannot be sent, like an error of the service. */
  function showInvalidJson(at: number, column: GridColumn) {
    const row = records.rowAt(at)
    const errors = { [column.name]: record.invalidJson(0) }
    if (row?.isDraft) records.setDraft(at, { pending: row.pending, errors: { ...row.errors, ...errors } })
    else if (row?.key) records.setErrors(row.key, errors)
    notifier.showFailure(`${column.name}: ${record.invalidJson(0)}`)
  }

  function commit(place: CellPosition, value: unknown, leave: ExitDirection) {
    setEditing(null)
    const column = columnAt(place.column)
    if (column) writeCell(place, column, value)
    const size = { rows: records.length, columns: columns.length }
    const isAcross = leave === 'left' || leave === 'right'
    const next = isAcross ? nextTabStop(place, leave === 'left', size) : { ...place, row: place.row + (leave === 'down' ? 1 : -1) }
    if (leave === 'newRow') return newRow()
    const missing = leave === 'down' ? firstMissing(place.row) : -1
    if (missing >= 0) select(selectCell(place.row, missing))
    else if (leave !== 'stay' && next && next.row >= 0 && next.row < size.rows) select(selectCell(next.row, next.column))
  }

  /** The first visible column of a draft row that still needs a value; -1 if there is none. */
  function firstMissing(at: number): number {
    const row = records.rowAt(at)
    const names = row?.isDraft && row.pending ? missingColumns(table, row.pending) : []
    return columns.findIndex(({ column }) => names.includes(column.name))
  }

  /** Writes the editable cells of a range. */
  async function writeRange(range: Range, valueAt: (row: number, column: number, of: GridColumn) => unknown): Promise<boolean> {
    if (!canEdit) {
      notifier.show(readOnlyReason)
      return false
    }
    if ((range.bottom - range.top + 1) * (range.right - range.left + 1) > maxCells) {
      notifier.show(grid.tooManyCells(maxCells))
      return false
    }
    const rows = await records.range(range.top, Math.min(range.bottom, records.length - 1)).catch(notifier.showError)
    if (!rows) return false
    const changes: CellChange[] = []
    let skipped = 0
    for (const [down, row] of rows.entries()) {
      for (let across = 0; across <= range.right - range.left; across++) {
        const column = columnAt(range.left + across)
        if (!column || !isEditable(column) || cellKind(column) === 'files' || !(row.key || row.isDraft)) skipped++
        else if (row.isDraft) writeCell({ row: range.top + down, column: range.left + across }, column, valueAt(down, across, column))
        else changes.push({ key: row.key!, column: column.name, before: currentValue(row, column), after: valueAt(down, across, column) })
      }
    }
    const invalid = changes.find(({ after }) => after instanceof InvalidJsonInput)
    if (invalid) {
      showInvalidJson(records.indexOf(invalid.key), columns.find(({ column }) => column.name === invalid.column)!.column)
      return false
    }
    const written = await mutations.write(changes)
    if (written && changes.length > 1) notifier.show(grid.cellsUpdated(written.length))
    else if (skipped > 0 && changes.length === 0) notifier.show(grid.notEditable)
    return written !== null
  }

  const clear = () => {
    const [{ active }, range] = [selection, rangeOf(selection)]
    if (active.row < 0 || active.column < 0) return
    void writeRange(range, (_row, _column, column) => emptyValue(column))
  }

  /** A single value fills the whole range; a block is pasted at its top left corner. */
  const paste = (block: CellBlock) => {
    const range = rangeOf(selection)
    const height = block.length
    const width = Math.max(...block.map((line) => line.length))
    const isOne = height === 1 && width === 1
    const bottom = isOne ? range.bottom : range.top + height - 1
    const right = isOne ? range.right : Math.min(columns.length - 1, range.left + width - 1)
    const isClipped = !isOne && (bottom >= records.recordCount || range.left + width > columns.length)
    if (!isOne)
      select({ active: { row: range.top, column: range.left }, head: { row: Math.min(bottom, records.length - 1), column: right } })
    void writeRange({ ...range, bottom, right }, (down, across, column) =>
      parseInput(isOne ? block[0]![0]! : (block[down]?.[across] ?? ''), column),
    ).then((isDone) => isDone && isClipped && notifier.show(grid.cellsSkipped))
  }

  /** Goes to the empty row at the end. The row that is left is saved, or its missing values are asked for. */
  const newRow = () => {
    if (!canEdit) return notifier.show(readOnlyReason)
    const missing = firstMissing(selection.active.row)
    if (missing >= 0) leaveDrafts()
    // An integer key is usually generated by the database.
    const isFirst = ({ name, type }: GridColumn) => !(type === 'bigint' && table.primaryKey.includes(name))
    const first = columns.findIndex(({ column }) => isEditable(column) && cellKind(column) !== 'files' && isFirst(column))
    const target = missing < 0 ? selectCell(records.length - 1, Math.max(0, first)) : selectCell(selection.active.row, missing)
    flushSync(() => select(target))
    // The focus moves from the button into the row.
    document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus({ preventScroll: true })
  }

  const collapse = () => {
    if (selection.head !== selection.active) select({ active: selection.active, head: selection.active })
  }

  return { table, editing, edit, toggle, commit, cancel: () => setEditing(null), clear, writeRange, paste, newRow, escape: collapse }
}

const currentValue = (row: DisplayedRow, { name }: GridColumn): unknown =>
  row.pending && name in row.pending ? row.pending[name] : row.record[name]

const emptyValue = (column: GridColumn): unknown => (['multiSelect', 'manyLinks'].includes(cellKind(column)) ? [] : null)
