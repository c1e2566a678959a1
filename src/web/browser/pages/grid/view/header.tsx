import { memo, type PointerEvent, useState } from 'react'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { isRightAligned } from '../data/cell-kinds'
import type { Sort } from '../data/list-query'
import { headerHeight, maxWidth, minWidth, type PlacedColumn, rowHeaderWidth } from './column-layout'
import { ColumnMenu, type ColumnMenuActions } from './column-menu'

export type HeaderActions = ColumnMenuActions & {
  resize: (id: string, width: number) => void
  move: (id: string, target: string) => void
  checkAll: () => void
}

type HeaderProps = {
  columns: PlacedColumn[]
  visibleColumns: number[]
  width: number
  active: number | null
  sort: Sort[]
  checked: 'none' | 'some' | 'all'
  canCheck: boolean
  actions: HeaderActions
}

/** The column headers. */
export const GridHeader = memo(function GridHead({
  columns,
  visibleColumns,
  width,
  active,
  sort,
  checked,
  canCheck,
  actions,
}: HeaderProps) {
  const { grid } = useStrings()
  let end = 0
  return (
    <div role="row" aria-rowindex={1} className="grid-head" style={{ height: headerHeight, width }}>
      <div
        role="columnheader"
        aria-colindex={1}
        className="grid-cell grid-number"
        style={{ width: rowHeaderWidth }}
        data-row={-1}
        data-column={-1}
        tabIndex={active === -1 ? 0 : -1}
      >
        {canCheck ? (
          <input
            type="checkbox"
            checked={checked === 'all'}
            ref={(box) => {
              if (box) box.indeterminate = checked === 'some'
            }}
            readOnly
            tabIndex={-1}
            aria-label={grid.selectAll}
          />
        ) : (
          <span className="visually-hidden">{grid.number}</span>
        )}
      </div>
      {visibleColumns.map((number) => {
        const placed = columns[number]!
        const gap = placed.left - end
        end = placed.left + placed.width
        return (
          <HeaderCell
            key={placed.column.id}
            placed={placed}
            number={number}
            gap={gap}
            isActive={active === number}
            sort={sort}
            actions={actions}
          />
        )
      })}
    </div>
  )
})

type HeaderCellProps = { placed: PlacedColumn; number: number; gap: number; isActive: boolean; sort: Sort[]; actions: HeaderActions }

function HeaderCell({ placed, number, gap, isActive, sort, actions }: HeaderCellProps) {
  const { column, width, left, isPinned } = placed
  const [isOver, setOver] = useState(false)
  const rank = sort.findIndex(({ column: name }) => name === column.name)
  const name = ['grid-cell', isRightAligned(column) ? 'is-number' : '', isPinned ? 'is-pinned' : '', isOver ? 'is-target' : '']
  return (
    <div
      role="columnheader"
      aria-colindex={number + 2}
      aria-sort={rank < 0 ? undefined : sort[rank]!.isDescending ? 'descending' : 'ascending'}
      className={name.filter(Boolean).join(' ')}
      style={isPinned ? { width, left: rowHeaderWidth + left } : { width, marginLeft: gap }}
      data-row={-1}
      data-column={number}
      tabIndex={isActive ? 0 : -1}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData('application/x-column', column.id)
        event.dataTransfer.effectAllowed = 'move'
      }}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        actions.move(event.dataTransfer.getData('application/x-column'), column.id)
      }}
    >
      <span className="grid-name">{column.name}</span>
      {rank < 0 ? null : <SortMark isDescending={sort[rank]!.isDescending} rank={sort.length > 1 ? rank + 1 : null} />}
      {isPinned ? <Icon name="pin" size={13} /> : null}
      <ColumnMenu placed={placed} sort={sort} actions={actions} />
      <ResizeHandle width={width} resize={(to) => actions.resize(column.id, to)} />
    </div>
  )
}

const SortMark = ({ isDescending, rank }: { isDescending: boolean; rank: number | null }) => (
  <span className="grid-sort" aria-hidden="true">
    {isDescending ? '↓' : '↑'}
    {rank}
  </span>
)

/** For the mouse. Keyboard users resize with the column menu. */
function ResizeHandle({ width, resize }: { width: number; resize: (width: number) => void }) {
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
  return <span className="grid-resize" aria-hidden="true" onPointerDown={start} onMouseDown={(event) => event.stopPropagation()} />
}
