import { type KeyboardEvent, memo } from 'react'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { headerHeight, type PlacedColumn, rowHeaderWidth } from '../../../records/list/column-layout'
import type { Sort } from '../../../records/list/list-query'
import type { DefinitionActions } from './column-menu'
import type { HeaderActions } from './header-cell'
import { HeaderCell } from './header-cell'

type HeaderProps = {
  columns: PlacedColumn[]
  visibleColumns: number[]
  width: number
  active: number | null
  sort: Sort[]
  checked: 'none' | 'some' | 'all'
  canCheck: boolean
  primaryKey: readonly string[]
  actions: HeaderActions
  /** Null for users who may not change the table. */
  definition: DefinitionActions | null
}

export const GridHeader = memo(function GridHead({
  columns,
  visibleColumns,
  width,
  active,
  sort,
  checked,
  canCheck,
  primaryKey,
  actions,
  definition,
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
            isKey={primaryKey.includes(placed.column.name)}
            isLast={number === columns.length - 1}
            actions={actions}
            definition={definition}
          />
        )
      })}
      {definition ? <AddColumn add={() => definition.add(null)} index={columns.length} /> : null}
    </div>
  )
})

/** The last header: adds a column. */
function AddColumn({ add, index }: { add: () => void; index: number }) {
  const { columns: words } = useStrings()
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ArrowLeft') return
    event.preventDefault()
    event.currentTarget
      .closest('[role="row"]')
      ?.querySelector<HTMLElement>(`[data-column="${index - 1}"]`)
      ?.focus()
  }
  return (
    <div role="columnheader" aria-colindex={index + 2} className="grid-cell grid-add">
      <button type="button" tabIndex={-1} aria-label={words.add} title={words.add} onClick={add} onKeyDown={press}>
        <Icon name="plus" size={17} />
      </button>
    </div>
  )
}
