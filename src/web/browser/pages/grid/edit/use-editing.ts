import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { TableView } from '../../../../../tables/model'
import { useStrings } from '../../../language'
import { isWritten, kindOf } from '../data/cell-kinds'
import type { Writer } from '../data/cell-mutations'
import type { Column } from '../data/cell-values'
import { isComplete } from '../data/draft-row'
import type { Records, Row } from '../data/record-pages'
import type { Change } from '../data/undo-stack'
import { at, nextByTab, type Place, type Range, rangeOf, type Selection } from '../view/cell-selection'
import type { Placed } from '../view/column-layout'
import { type Editing, shownValue } from '../view/grid'
import type { Tell } from '../view/use-notice'
import { NotJson, typedValue } from './cell-input'
import type { Block } from './clipboard-formats'
import type { Leave } from './editor-keys'

type Work = {
  table: TableView
  records: Records
  writer: Writer
  columns: Placed[]
  selection: Selection
  select: (selection: Selection) => void
  mayWrite: boolean
  whyNot: string
  tell: Tell
  openRecord: (row: number) => void
  /** Saves the row that was begun. @returns whether it could be */
  leaveDraft: () => Promise<boolean>
}

/** So many cells are pasted or cleared at once. */
export const mostCells = 20_000

/** Everything that writes: editing a cell, clearing and pasting ranges, new rows. */
export function useEditing({ table, records, writer, columns, selection, select, mayWrite, whyNot, tell, openRecord, leaveDraft }: Work) {
  const { grid, record } = useStrings()
  const [editing, setEditing] = useState<Editing | null>(null)
  const seen = useRef<unknown>(null)
  const columnAt = (number: number) => columns[number]?.column

  function edit(place: Place, typed: string | null) {
    const [column, row] = [columnAt(place.column), records.rowAt(place.row)]
    if (!column || !row) return
    if (place.row !== selection.active.row || place.column !== selection.active.column) select(at(place.row, place.column))
    if (!mayWrite) return tell.say(whyNot)
    if (kindOf(column) === 'files' && row.key) return openRecord(place.row)
    if (!isWritten(column)) return row.key && typed === null ? openRecord(place.row) : tell.say(grid.setByDatabase(column.name))
    if (!row.key && !row.isDraft) return tell.say(grid.noPrimaryKey)
    seen.current = shownValue(records, place.row, column)
    if (row.key) void writer.prepare(row.key)
    if (kindOf(column) === 'boolean') return put(place, column, seen.current !== true)
    tell.clear()
    setEditing({ typed })
  }

  function put(place: Place, column: Column, value: unknown) {
    const row = records.rowAt(place.row)
    if (value instanceof NotJson) return refuseJson(place.row, column)
    if (row?.isDraft) {
      const { [column.name]: _gone, ...problems } = row.problems ?? {}
      records.setDraft({ pending: { ...row.pending, [column.name]: value }, problems })
    } else if (row?.key) void writer.write([{ key: row.key, column: column.name, before: seen.current, after: value }])
  }

  /** It is no value that could be sent: told as if the service had refused it. */
  function refuseJson(at: number, column: Column) {
    const row = records.rowAt(at)
    const problems = { ...row?.problems, [column.name]: record.invalidJson(0) }
    if (row?.isDraft) records.setDraft({ pending: row.pending, problems })
    else if (row?.key) records.change(row.key, (each) => ({ ...each, problems }))
    tell.fail(`${column.name}: ${record.invalidJson(0)}`)
  }

  function commit(place: Place, value: unknown, leave: Leave) {
    setEditing(null)
    const column = columnAt(place.column)
    if (column) put(place, column, value)
    const size = { rows: records.length, columns: columns.length, page: 1 }
    const isAcross = leave === 'left' || leave === 'right'
    const next = isAcross ? nextByTab(place, leave === 'left', size) : { ...place, row: place.row + (leave === 'down' ? 1 : -1) }
    if (leave !== 'stay' && next && next.row >= 0 && next.row < size.rows) select(at(next.row, next.column))
    // Below the row that was begun there is none to go to: Enter is how its end is said.
    else if (leave === 'down' && isComplete(table, records.draft?.pending)) void leaveDraft()
  }

  /** The cells of a range that can be written, with what is to stand in them. */
  async function fill(range: Range, valueAt: (row: number, column: number, of: Column) => unknown): Promise<boolean> {
    if (!mayWrite) {
      tell.say(whyNot)
      return false
    }
    if ((range.bottom - range.top + 1) * (range.right - range.left + 1) > mostCells) {
      tell.say(grid.tooManyCells(mostCells))
      return false
    }
    const rows = await records.range(range.top, Math.min(range.bottom, records.length - 1))
    const changes: Change[] = []
    let skipped = 0
    for (const [down, row] of rows.entries()) {
      for (let across = 0; across <= range.right - range.left; across++) {
        const column = columnAt(range.left + across)
        if (!column || !isWritten(column) || kindOf(column) === 'files' || !(row.key || row.isDraft)) skipped++
        else if (row.isDraft) put({ row: range.top + down, column: range.left + across }, column, valueAt(down, across, column))
        else changes.push({ key: row.key!, column: column.name, before: currentOf(row, column), after: valueAt(down, across, column) })
      }
    }
    const wrong = changes.find(({ after }) => after instanceof NotJson)
    if (wrong) {
      refuseJson(records.indexOf(wrong.key), columns.find(({ column }) => column.name === wrong.column)!.column)
      return false
    }
    const written = await writer.write(changes)
    if (written && changes.length > 1) tell.say(grid.cellsUpdated(written.length))
    else if (skipped > 0 && changes.length === 0) tell.say(grid.notEditable)
    return written !== null
  }

  const clear = () => {
    const [{ active }, range] = [selection, rangeOf(selection)]
    if (active.row < 0 || active.column < 0) return
    void fill(range, (_row, _column, column) => emptyOf(column))
  }

  /** One value fills the whole range; a block lies at its upper left corner. */
  const paste = (block: Block) => {
    const range = rangeOf(selection)
    const height = block.length
    const width = Math.max(...block.map((line) => line.length))
    const isOne = height === 1 && width === 1
    const bottom = isOne ? range.bottom : range.top + height - 1
    const right = isOne ? range.right : Math.min(columns.length - 1, range.left + width - 1)
    const isCut = !isOne && (bottom >= records.length || range.left + width > columns.length)
    if (!isOne)
      select({ active: { row: range.top, column: range.left }, head: { row: Math.min(bottom, records.length - 1), column: right } })
    void fill({ ...range, bottom, right }, (down, across, column) =>
      typedValue(isOne ? block[0]![0]! : (block[down]?.[across] ?? ''), column),
    ).then((isDone) => isDone && isCut && tell.say(grid.cellsSkipped))
  }

  const newRow = async () => {
    if (!mayWrite) return tell.say(whyNot)
    if (records.draftRow.isUnsaved && !(await leaveDraft())) return
    // A key is usually counted by the database.
    const isFirst = ({ name, type }: Column) => !(type === 'bigint' && table.primaryKey.includes(name))
    const first = columns.findIndex(({ column }) => isWritten(column) && kindOf(column) !== 'files' && isFirst(column))
    flushSync(() => {
      // Another list may be shown by now.
      if (!writer.list.draft) writer.list.setDraft({})
      select(at(writer.list.length - 1, Math.max(0, first)))
    })
    // Whoever pressed the button goes on in the row.
    document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus({ preventScroll: true })
    tell.say(grid.newRowHelp)
  }

  const stepBack = () => {
    if (records.draft && !records.draft.pending && selection.active.row === records.length - 1) {
      records.setDraft(null)
      select(at(Math.max(0, records.length - 1), selection.active.column))
    } else if (selection.head !== selection.active) select({ active: selection.active, head: selection.active })
  }

  return { table, editing, edit, commit, cancel: () => setEditing(null), clear, fill, paste, newRow, escape: stepBack }
}

const currentOf = (row: Row, { name }: Column): unknown => (row.pending && name in row.pending ? row.pending[name] : row.record[name])

const emptyOf = (column: Column): unknown => (['multiSelect', 'manyLinks'].includes(kindOf(column)) ? [] : null)
