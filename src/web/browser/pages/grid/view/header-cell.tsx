import { type KeyboardEvent, type MouseEvent, type PointerEvent, useRef, useState } from 'react'
import { ColumnTypeIcon } from '../../../components/column-type-icon'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { maxWidth, minWidth, type PlacedColumn, rowHeaderWidth } from '../../../records/list/column-layout'
import type { Sort } from '../../../records/list/list-query'
import { ColumnMenu, type ColumnMenuActions, type DefinitionActions } from './column-menu'
import { contentWidth } from './content-width'
import { RenameField } from './rename-field'

export type HeaderActions = ColumnMenuActions & {
  resize: (id: string, width: number) => void
  move: (id: string, target: string) => void
  /** Makes a header the active cell. */
  activate: (column: number) => void
  checkAll: () => void
}

type HeaderCellProps = {
  placed: PlacedColumn
  number: number
  gap: number
  isActive: boolean
  isKey: boolean
  isLast: boolean
  sort: Sort[]
  actions: HeaderActions
  definition: DefinitionActions | null
}

/** The header of a column. Enter, its arrow and a right click open its menu; F2 and a double click rename it. */
export function HeaderCell({ placed, number, gap, isActive, isKey, isLast, sort, actions, definition }: HeaderCellProps) {
  const { grid } = useStrings()
  const { column, width, left, isPinned } = placed
  const cell = useRef<HTMLDivElement>(null)
  const [menu, setMenu] = useState<{ left: number | null } | null>(null)
  const [isRenaming, setRenaming] = useState(false)
  const drag = useDrag(column.id, actions)
  const rank = sort.findIndex(({ column: name }) => name === column.name)
  const name = ['grid-cell', isPinned ? 'is-pinned' : '', drag.isOver ? 'is-target' : '']

  const openMenu = (menuLeft: number | null) => {
    actions.activate(number)
    setMenu({ left: menuLeft })
  }
  const focus = () => cell.current?.focus({ preventScroll: true })
  const startRenaming = () => setRenaming(definition !== null)
  const fitWidth = () => actions.resize(column.id, contentWidth(cell.current!))
  const isOwn = ({ target }: { target: EventTarget }) => cell.current!.contains(target as Node)

  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== cell.current || event.ctrlKey || event.metaKey || event.altKey) return
    const add = event.key === 'ArrowRight' && isLast ? cell.current.nextElementSibling?.querySelector('button') : null
    if (add) add.focus()
    else if (event.key === 'Enter' || event.key === ' ') openMenu(null)
    else if (event.key === 'F2') startRenaming()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const contextMenu = (event: MouseEvent<HTMLElement>) => {
    if (!isOwn(event) || isRenaming) return
    event.preventDefault()
    openMenu(event.clientX - event.currentTarget.getBoundingClientRect().left)
  }
  return (
    <div
      ref={cell}
      role="columnheader"
      aria-colindex={number + 2}
      aria-sort={rank < 0 ? undefined : sort[rank]!.isDescending ? 'descending' : 'ascending'}
      aria-description={column.description ?? undefined}
      title={column.description ?? undefined}
      className={name.filter(Boolean).join(' ')}
      style={isPinned ? { width, left: rowHeaderWidth + left } : { width, marginLeft: gap }}
      data-row={-1}
      data-column={number}
      tabIndex={isActive ? 0 : -1}
      onKeyDown={press}
      onContextMenu={contextMenu}
      onDoubleClick={(event) => isOwn(event) && !(event.target as Element).closest('.grid-menu, .grid-editor') && startRenaming()}
      draggable={!isRenaming}
      {...drag.handlers}
    >
      <ColumnTypeIcon type={column.type} />
      <span className="grid-name">{column.name}</span>
      {column.description ? <Icon name="info" size={13} /> : null}
      {rank < 0 ? null : <SortMark isDescending={sort[rank]!.isDescending} rank={sort.length > 1 ? rank + 1 : null} />}
      {isPinned ? <Icon name="pin" size={13} /> : null}
      <button
        type="button"
        className="grid-menu"
        tabIndex={-1}
        aria-label={grid.columnMenu(column.name)}
        aria-haspopup="menu"
        aria-expanded={menu !== null}
        onClick={() => openMenu(null)}
      >
        <Icon name="chevron" size={15} />
      </button>
      {menu ? (
        <ColumnMenu
          placed={placed}
          sort={sort}
          actions={actions}
          definition={definition}
          isKey={isKey}
          rename={startRenaming}
          fitWidth={fitWidth}
          left={menu.left}
          close={() => {
            setMenu(null)
            focus()
          }}
        />
      ) : null}
      {isRenaming ? (
        <RenameField
          name={column.name}
          save={(text) => definition!.rename(column, text)}
          close={(isByKey) => {
            setRenaming(false)
            if (isByKey) focus()
          }}
        />
      ) : null}
      <ResizeHandle width={width} resize={(to) => actions.resize(column.id, to)} fit={fitWidth} />
    </div>
  )
}

/** Dragging a header moves its column. */
function useDrag(id: string, { move }: Pick<HeaderActions, 'move'>) {
  const [isOver, setOver] = useState(false)
  const handlers = {
    onDragStart: ({ dataTransfer }: React.DragEvent) => {
      dataTransfer.setData('application/x-column', id)
      dataTransfer.effectAllowed = 'move'
    },
    onDragOver: (event: React.DragEvent) => {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: React.DragEvent) => {
      event.preventDefault()
      setOver(false)
      move(event.dataTransfer.getData('application/x-column'), id)
    },
  }
  return { isOver, handlers }
}

const SortMark = ({ isDescending, rank }: { isDescending: boolean; rank: number | null }) => (
  <span className="grid-sort" aria-hidden="true">
    {isDescending ? '↓' : '↑'}
    {rank}
  </span>
)

type ResizeHandleProps = { width: number; resize: (width: number) => void; fit: () => void }

/** For the mouse: a double click fits the width to the content. Keyboard users resize with the column menu. */
function ResizeHandle({ width, resize, fit }: ResizeHandleProps) {
  const start = (event: PointerEvent<HTMLSpanElement>) => {
    event.preventDefault()
    event.stopPropagation()
    const [target, from] = [event.currentTarget, event.clientX]
    target.setPointerCapture(event.pointerId)
    const move = (moving: globalThis.PointerEvent) =>
      resize(Math.round(Math.max(minWidth, Math.min(maxWidth, width + moving.clientX - from))))
    target.addEventListener('pointermove', move)
    target.addEventListener('lostpointercapture', () => target.removeEventListener('pointermove', move), { once: true })
  }
  const doubleClick = (event: MouseEvent) => {
    event.stopPropagation()
    fit()
  }
  return (
    <span
      className="grid-resize"
      aria-hidden="true"
      onPointerDown={start}
      onMouseDown={(event) => event.stopPropagation()}
      onDoubleClick={doubleClick}
    />
  )
}
