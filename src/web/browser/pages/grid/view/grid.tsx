import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useStrings } from '../../../language'
import { addColumnWidth, headerHeight, rowHeaderWidth } from '../../../records/list/column-layout'
import type { GridColumn } from '../../../records/values/cell-values'
import { rangeOf, type Selection, selectCell } from '../model/cell-selection'
import { useGridModel } from '../model/grid-model'
import type { DefinitionActions } from './column-menu'
import { GridHeader } from './header'
import type { HeaderActions } from './header-cell'
import { GridRow } from './row'
import { maxRows, rowLayout } from './row-layout'
import { useFileEvents } from './use-file-events'
import { cellSelector, type GridActions, useGridKeys } from './use-grid-keys'
import { useGridMouse } from './use-grid-mouse'
import { useVirtualWindow } from './use-virtual-window'
import { useVisiblePages } from './use-visible-pages'

export type Editing = { typed: string | null }

type GridProps = {
  editing: Editing | null
  isChecked: (key: string | null) => boolean
  checked: 'none' | 'some' | 'all'
  actions: GridActions
  /** The editor of the active cell. */
  renderEditor: (column: GridColumn, row: number) => ReactNode
  /** The content below the rows, at the bottom of the grid. */
  footer: (layout: { visibleColumns: readonly number[]; width: number }) => ReactNode
  headActions: HeaderActions
  definition: DefinitionActions | null
}

/**
 * An ARIA grid (https://www.w3.org/WAI/ARIA/apg/patterns/grid/). Only visible rows are rendered, and the active cell
 * has the focus.
 */
export function Grid({ editing, isChecked, checked, actions, renderEditor, footer, headActions, definition }: GridProps) {
  const { grid } = useStrings()
  const { table, view, columns, gridQuery, wanted, records, selection, rights } = useGridModel()
  const scroller = useRef<HTMLDivElement>(null)
  const isLeaving = useRef(false)
  const { height: rowHeight, textLines, chipLines, wraps } = rowLayout(view)
  const rows = Math.min(records.length, maxRows(rowHeight))
  const selected = rows > 0 ? selection : toHeader(selection)
  const { active, head } = selected
  const trailingWidth = definition ? addColumnWidth : 0
  const { first, last, drawn, visibleColumns, reveal, page } = useVirtualWindow(scroller, {
    rows,
    rowHeight,
    columns,
    active,
    trailingWidth,
  })
  useVisiblePages(records, first, last)
  // Rows that are not loaded are not rendered: the background shows their borders.
  const there = drawn.filter((index) => index === active.row || records.rowAt(index))

  const byMouse = useRef(false)
  useFocus(scroller, selection, editing !== null, () => {
    // A clicked cell is visible already and must not move under the pointer.
    if (byMouse.current) byMouse.current = false
    else reveal(head)
  })
  const size = { rows, records: Math.min(records.recordCount, rows), columns: columns.length, page }
  const press = useGridKeys(selected, size, isLeaving, actions)
  const { events, filling } = useGridMouse({ active, head }, size, actions, byMouse)
  const files = useFileEvents(selected, actions)
  const range = rangeOf(selection)
  const width = rowHeaderWidth + columns.reduce((sum, column) => sum + column.width, trailingWidth)
  const isHandleRow = (index: number) => index === range.bottom && index < size.records
  const isOne = range.top === range.bottom && range.left === range.right
  const canCheck = (rights.update || rights.delete) && table.primaryKey.length > 0

  return (
    <div ref={scroller} className="grid-frame">
      <div
        role="grid"
        aria-label={grid.recordsOf(table.name)}
        aria-rowcount={rows + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable
        aria-readonly={!rights.any}
        aria-describedby="grid-keys"
        aria-busy={records !== wanted || !records.isLoaded || there.length < drawn.length}
        className={['grid', chipLines > 1 ? 'is-tall' : '', wraps ? 'wraps' : ''].filter(Boolean).join(' ')}
        style={{
          ...({ '--row-height': `${rowHeight}px`, '--lines': textLines } as CSSProperties),
          height: headerHeight + rows * rowHeight,
          width,
          backgroundPosition: `0 ${headerHeight}px`,
          backgroundSize: `${width}px ${rowHeight}px`,
        }}
        onKeyDown={(event: KeyboardEvent) => event.target instanceof Element && event.target.matches(cellSelector) && press(event)}
        {...events}
        {...files.events}
      >
        <GridHeader
          columns={columns}
          visibleColumns={visibleColumns}
          width={width}
          active={active.row < 0 ? active.column : null}
          sort={gridQuery.query.sort}
          checked={checked}
          canCheck={canCheck}
          primaryKey={table.primaryKey}
          actions={headActions}
          definition={definition}
        />
        {there.map((index) => {
          const row = records.rowAt(index)
          const isIn = !isOne && index >= range.top && index <= range.bottom && active.row >= 0
          return (
            <GridRow
              key={index}
              index={index}
              top={headerHeight + index * rowHeight}
              height={rowHeight}
              lines={chipLines}
              row={row}
              tableId={table.id}
              columns={columns}
              visibleColumns={visibleColumns}
              width={width}
              active={active.row === index ? active.column : null}
              from={isIn ? range.left : 0}
              to={isIn ? range.right : -1}
              isTop={isIn && index === range.top}
              isBottom={isIn && index === range.bottom}
              handle={rights.update && !editing && active.row >= 0 && active.column >= 0 && isHandleRow(index) ? range.right : -1}
              fillFrom={filling && index >= filling.top && index <= filling.bottom ? filling.left : 0}
              fillTo={filling && index >= filling.top && index <= filling.bottom ? filling.right : -1}
              dropColumn={files.target?.row === index ? files.target.column : -1}
              isChecked={isChecked(row?.key ?? null)}
              canCheck={canCheck}
              isLocked={!rights.update && !row?.isDraft}
              editor={
                editing && active.row === index && columns[active.column] ? renderEditor(columns[active.column]!.column, index) : null
              }
            />
          )
        })}
      </div>
      {footer({ visibleColumns, width })}
      <p id="grid-keys" className="visually-hidden">
        {grid.keysInShort}
      </p>
    </div>
  )
}

/** Moves the selection to the header if there are no rows. */
function toHeader({ active }: Selection): Selection {
  return selectCell(-1, Math.max(0, active.column))
}

/** When the selection moves, scrolls the active cell into view and focuses it if the focus was in the grid. */
function useFocus(scroller: { current: HTMLElement | null }, selection: Selection, isEditing: boolean, scroll: () => void) {
  const last = useRef({ selection, isEditing })
  useEffect(() => {
    const frame = scroller.current
    const isMoved = last.current.selection !== selection
    const isLeft = last.current.isEditing && !isEditing
    if (isMoved && !selection.isFollowing) scroll()
    last.current = { selection, isEditing }
    // The field for a column name in the header keeps the focus.
    if (isEditing || !frame || document.activeElement?.matches('.grid-head .grid-editor')) return
    const { activeElement: focused } = document
    const isChanged = isMoved || isLeft
    // Buttons in the grid and elements below it keep the focus.
    const isIn = frame.firstElementChild?.contains(focused) && (isChanged || focused?.matches(cellSelector))
    // The focus was lost with the unmounted editor.
    const isHere = isIn || (isChanged && focused === document.body)
    const { row, column } = selection.active
    const cell = isHere ? frame.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`) : null
    // Focusing the focused element again would force a layout in each frame of scrolling.
    if (cell !== focused) cell?.focus({ preventScroll: true })
  })
}
