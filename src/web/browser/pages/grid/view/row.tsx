import { memo, type ReactNode } from 'react'
import { attachmentsUrl } from '../../../api/urls'
import { Icon } from '../../../components/icon'
import { CellContent } from '../../../fields/cells/cell'
import { useStrings } from '../../../language'
import { type PlacedColumn, rowHeaderWidth } from '../../../records/list/column-layout'
import type { DisplayedRow } from '../../../records/pages/record-pages'
import { isEditable, isRightAligned } from '../../../records/values/cell-kinds'
import { formatNumber } from '../../../values/format'
import { valueInRow } from '../model/displayed-value'
import { CellUploads } from './cell-uploads'

export type RowProps = {
  index: number
  top: number
  height: number
  /** The number of lines of chips. */
  lines: number
  row: DisplayedRow | undefined
  tableId: string
  columns: PlacedColumn[]
  /** The indexes of the rendered columns. */
  visibleColumns: number[]
  width: number
  /** The column of the active cell, if it is in this row. */
  active: number | null
  from: number
  to: number
  /** Whether the row is the first or the last one of the range. */
  isTop: boolean
  isBottom: boolean
  /** The column of the fill handle; -1 for none. */
  handle: number
  /** The columns that the dragged handle would fill. */
  fillFrom: number
  fillTo: number
  /** The column that takes the dragged files; -1 for none. */
  dropColumn: number
  isChecked: boolean
  canCheck: boolean
  /** Whether all its cells are read-only. */
  isLocked: boolean
  /** The editor of the active cell. */
  editor: ReactNode
}

/** One record. Rendered again only when its props change. */
export const GridRow = memo(function GridRow({ index, top, height, row, isChecked, canCheck, active, ...cells }: RowProps) {
  const { grid } = useStrings()
  const name = [
    'grid-row',
    isChecked ? 'is-checked' : '',
    row?.isDraft && row.pending ? 'is-draft' : '',
    row?.isDraft && !row.pending ? 'is-new' : '',
    row?.pending && !row.isDraft ? 'is-saving' : '',
  ]
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChecked}
      className={name.filter(Boolean).join(' ')}
      style={{ top, height, width: cells.width }}
    >
      <div
        role="rowheader"
        aria-colindex={1}
        className="grid-cell grid-number"
        style={{ width: rowHeaderWidth }}
        data-row={index}
        data-column={-1}
        tabIndex={active === -1 ? 0 : -1}
      >
        {row && canCheck && !row.isDraft ? (
          <input type="checkbox" checked={isChecked} readOnly tabIndex={-1} aria-label={grid.selectRow(index + 1)} />
        ) : null}
        {row?.isDraft && !row.pending ? <NewRowMark /> : <span className="grid-number-text">{formatNumber(index + 1)}</span>}
        {row?.key && !row.isDraft ? (
          <button type="button" className="grid-expand" tabIndex={-1} aria-label={grid.openRow(index + 1)} title={grid.openRecord}>
            <Icon name="expand" size={14} />
          </button>
        ) : null}
      </div>
      <RowCells index={index} row={row} active={active} {...cells} />
    </div>
  )
})

function NewRowMark() {
  const { grid } = useStrings()
  return (
    <>
      <Icon name="plus" size={15} />
      <span className="visually-hidden">{grid.newRow}</span>
    </>
  )
}

type CellsProps = Omit<RowProps, 'top' | 'height' | 'isChecked' | 'canCheck' | 'width'>

/** A margin takes the place of columns that are not rendered. */
function RowCells({ row, columns, visibleColumns, ...rest }: CellsProps) {
  let end = 0
  return visibleColumns.map((number) => {
    const { left, width } = columns[number]!
    const gap = left - end
    end = left + width
    return <GridCell key={columns[number]!.column.id} row={row} placed={columns[number]!} number={number} gap={gap} {...rest} />
  })
}

type GridCellProps = Omit<CellsProps, 'columns' | 'visibleColumns'> & { placed: PlacedColumn; number: number; gap: number }

function GridCell({ index, row, tableId, lines, placed, number, gap, active, from, to, editor, isLocked, ...range }: GridCellProps) {
  const { column, width, left, isPinned } = placed
  const refused = row?.refused?.[column.name]
  const problem = refused?.reason ?? row?.errors?.[column.name]
  const value = row && valueInRow(row, column)
  const isActive = active === number
  const isRange = number >= from && number <= to
  const name = [
    'grid-cell',
    isRightAligned(column) ? 'is-number' : '',
    column.type === 'json' ? 'mono' : '',
    isPinned ? 'is-pinned' : '',
    isActive ? 'is-active' : '',
    isRange ? 'is-range' : '',
    isRange && range.isTop ? 'at-top' : '',
    isRange && range.isBottom ? 'at-bottom' : '',
    isRange && number === from ? 'at-left' : '',
    isRange && number === to ? 'at-right' : '',
    number >= range.fillFrom && number <= range.fillTo ? 'is-filling' : '',
    number === range.dropColumn ? 'is-drop-target' : '',
    problem ? 'is-wrong' : '',
    row?.isUnsent && row.pending && column.name in row.pending ? 'is-unsent' : '',
  ]
  return (
    <div
      role="gridcell"
      aria-colindex={number + 2}
      aria-selected={isActive || isRange}
      aria-readonly={isLocked || !isEditable(column) || undefined}
      aria-invalid={problem ? true : undefined}
      aria-description={problem}
      title={problem}
      className={name.filter(Boolean).join(' ')}
      style={isPinned ? { width, left: rowHeaderWidth + left } : { width, marginLeft: gap }}
      data-row={index}
      data-column={number}
      // During an edit, the editor has the focus.
      tabIndex={isActive ? (editor ? undefined : 0) : -1}
    >
      {refused ? <span className="grid-text">{refused.text}</span> : null}
      {row && !refused ? <CellContent value={value} column={column} size={{ width, lines }} /> : null}
      {row?.key && column.type === 'attachment' ? <CellUploads path={attachmentsUrl(tableId, row.key, column.id)} /> : null}
      {number === range.handle ? <span className="grid-fill" aria-hidden="true" /> : null}
      {isActive ? editor : null}
      {isActive && problem && !editor ? <span className="grid-problem">{problem}</span> : null}
    </div>
  )
}
