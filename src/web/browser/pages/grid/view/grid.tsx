import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react'
import { useStrings } from '../../../language'
import type { Column } from '../data/cell-values'
import type { Sort } from '../data/list-query'
import type { Records } from '../data/record-pages'
import { CellEditor } from '../edit/cell-editor'
import type { Leave } from '../edit/editor-keys'
import { at, type Place, rangeOf, type Selection } from './cell-selection'
import { headHeight, mostRows, type Placed, rowHeadWidth, rowHeight } from './column-layout'
import { GridHead, type HeadActions } from './header'
import { GridRow } from './row'
import { type GridActions, placeOf, useGridKeys } from './use-grid-keys'
import { useWindow } from './use-virtual-window'
import { useLooking } from './use-visible-pages'

export type Editing = { typed: string | null }

type GridProps = {
  name: string
  records: Records
  columns: Placed[]
  sort: Sort[]
  selection: Selection
  editing: Editing | null
  isChecked: (key: string | null) => boolean
  checked: 'none' | 'some' | 'all'
  canCheck: boolean
  isReadOnly: boolean
  actions: GridActions & {
    commit: (place: Place, value: unknown, leave: Leave) => void
    cancel: () => void
  }
  headActions: HeadActions
}

/** The records as a grid of ARIA (https://www.w3.org/WAI/ARIA/apg/patterns/grid/): what is in sight is drawn, and the active cell has the focus. */
export function Grid({ name, records, columns, selection, editing, actions, headActions, isReadOnly, ...rest }: GridProps) {
  const { grid } = useStrings()
  const scroller = useRef<HTMLDivElement>(null)
  const isLeaving = useRef(false)
  const { active, head } = selection
  const rows = Math.min(records.length, mostRows)
  const { first, last, drawn, shown, reveal, page } = useWindow(scroller, rows, columns, active)
  useLooking(records, first, last)
  // What has not been read is not drawn: the ground shows its lines.
  const there = drawn.filter((index) => index === active.row || records.rowAt(index))

  const byMouse = useRef(false)
  useFocus(scroller, selection, editing !== null, () => {
    // What is pressed is in sight: it must not move away under the pointer.
    if (byMouse.current) byMouse.current = false
    else reveal(head)
  })
  const press = useGridKeys(selection, { rows, columns: columns.length, page }, isLeaving, actions)
  const mouse = useMouse(selection, actions, byMouse)
  const range = rangeOf(selection)
  const width = rowHeadWidth + columns.reduce((sum, column) => sum + column.width, 0)
  const isOne = range.top === range.bottom && range.left === range.right
  const editor = (column: Column, row: number) =>
    editing && row === active.row ? (
      <CellEditor
        key={`${row} ${column.id}`}
        column={column}
        value={shownValue(records, row, column)}
        typed={editing.typed}
        label={grid.editCell(column.name, row + 1)}
        commit={(value, leave) => actions.commit(active, value, leave)}
        cancel={actions.cancel}
      />
    ) : null

  return (
    <div ref={scroller} className="grid-frame">
      <div
        role="grid"
        aria-label={name}
        aria-rowcount={rows + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable
        aria-readonly={isReadOnly}
        aria-describedby="grid-keys"
        aria-busy={!records.isLoaded || there.length < drawn.length}
        className="grid"
        style={{
          height: headHeight + rows * rowHeight,
          width,
          backgroundPosition: `0 ${headHeight}px`,
          backgroundSize: `${width}px ${rowHeight}px`,
        }}
        onKeyDown={(event: KeyboardEvent) => placeOf(event) && press(event)}
        {...mouse}
      >
        <GridHead
          {...rest}
          columns={columns}
          shown={shown}
          width={width}
          active={active.row < 0 ? active.column : null}
          actions={headActions}
        />
        {there.map((index) => {
          const row = records.rowAt(index)
          const isIn = !isOne && index >= range.top && index <= range.bottom && active.row >= 0
          return (
            <GridRow
              key={index}
              index={index}
              top={headHeight + index * rowHeight}
              row={row}
              columns={columns}
              shown={shown}
              width={width}
              active={active.row === index ? active.column : null}
              from={isIn ? range.left : 0}
              to={isIn ? range.right : -1}
              isChecked={rest.isChecked(row?.key ?? null)}
              canCheck={rest.canCheck}
              editor={active.row === index && columns[active.column] ? editor(columns[active.column]!.column, index) : null}
            />
          )
        })}
      </div>
      <p id="grid-keys" className="visually-hidden">
        {grid.keysInShort}
      </p>
    </div>
  )
}

/** What stands in a cell now: what was typed before what was read. */
export function shownValue(records: Records, index: number, { name }: Column): unknown {
  const row = records.rowAt(index)
  return row?.pending && name in row.pending ? row.pending[name] : row?.record[name]
}

/** After the selection moved, the active cell comes into sight and, if the focus was in the grid, gets it. */
function useFocus(scroller: { current: HTMLElement | null }, selection: Selection, isEditing: boolean, scroll: () => void) {
  const last = useRef({ selection, isEditing })
  useEffect(() => {
    const frame = scroller.current
    const isMoved = last.current.selection !== selection
    const isLeft = last.current.isEditing && !isEditing
    if (isMoved) scroll()
    last.current = { selection, isEditing }
    if (isEditing || !frame) return
    // The field that was edited in has gone, and the focus with it.
    const isHere = frame.contains(document.activeElement) || ((isMoved || isLeft) && document.activeElement === document.body)
    const { row, column } = selection.active
    const cell = isHere ? frame.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`) : null
    // What has the focus is not asked to take it: that would have the browser lay everything out, in each frame of scrolling.
    if (cell !== document.activeElement) cell?.focus({ preventScroll: true })
  })
}

/** A press chooses a cell, a drag a range, a double click edits. */
function useMouse({ active, head }: Selection, actions: GridProps['actions'], byMouse: { current: boolean }) {
  const [isDragging, setDragging] = useState(false)
  useEffect(() => {
    const stop = () => setDragging(false)
    window.addEventListener('mouseup', stop)
    return () => window.removeEventListener('mouseup', stop)
  }, [])
  const isEditor = (event: MouseEvent) => event.target instanceof Element && event.target.closest('.grid-editor, .grid-menu, .grid-resize')
  return {
    onMouseDown: (event: MouseEvent) => {
      const place = placeOf(event)
      if (!place || event.button !== 0 || isEditor(event)) return
      // What is being typed elsewhere is written first.
      if (document.activeElement instanceof HTMLElement && document.activeElement.matches('.grid-editor')) document.activeElement.blur()
      // The head can be dragged, which this would prevent.
      if (place.row >= 0) event.preventDefault()
      ;(event.currentTarget as HTMLElement).querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true })
      const isCell = place.row >= 0 && place.column >= 0
      if (event.shiftKey && isCell && active.row >= 0 && active.column >= 0) return actions.select({ active, head: place })
      if (place.column < 0 && place.row >= 0) actions.toggleCheck(place.row, event.shiftKey)
      else if (place.column < 0) actions.toggleAll()
      setDragging(isCell)
      byMouse.current = true
      actions.select(at(place.row, place.column))
    },
    onMouseOver: (event: MouseEvent) => {
      const place = isDragging ? placeOf(event) : null
      if (place && place.row >= 0 && place.column >= 0 && (place.row !== head.row || place.column !== head.column))
        actions.select({ active, head: place })
    },
    onDoubleClick: (event: MouseEvent) => {
      const place = placeOf(event)
      if (!place || place.row < 0 || isEditor(event)) return
      if (place.column < 0) actions.openRecord(place.row)
      else actions.edit(place, null)
    },
  }
}
