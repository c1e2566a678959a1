import { useRef } from 'react'
import { Icon } from '../../../components/icon'
import { CellContent } from '../../../fields/cells/cell'
import { useStrings } from '../../../language'
import { cellKind } from '../../../records/values/cell-kinds'
import { displayText } from '../../../records/values/cell-text'
import { type GridColumn, toPlainText } from '../../../records/values/cell-values'
import { isGeneratedKey, titleColumn } from '../../../records/values/column'
import { factColumns, factsText } from '../../../records/values/linked-records'
import { useGridModel } from '../model/grid-model'
import { maxRows } from '../view/row-layout'
import { useVirtualWindow } from '../view/use-virtual-window'
import { useVisiblePages } from '../view/use-visible-pages'

/** In pixels, as in `cards.css`. */
const cardHeight = 76

/** The number of values below the name of a record. */
const maxFacts = 3

/** The records on a phone: the name of each, and its first values. A tap opens it. Only visible ones are rendered. */
export function CardList({ openRecord }: { openRecord: (row: number) => void }) {
  const { grid, tables } = useStrings()
  const { table, columns, wanted, records, selection } = useGridModel()
  // The active row gets the focus when the user goes back from a record.
  const { active } = selection
  const scroller = useRef<HTMLDivElement>(null)
  const rows = Math.min(records.recordCount, maxRows(cardHeight))
  const { first, last, drawn } = useVirtualWindow(scroller, {
    rows,
    rowHeight: cardHeight,
    columns: [],
    active,
    trailingWidth: 0,
  })
  useVisiblePages(records, first, last)
  const there = drawn.filter((index) => index === active.row || records.rowAt(index))
  const title = table.columns.find((column) => column.name === titleColumn(table))
  // A generated key says less than the first values.
  const naming = title && isGeneratedKey(table, title.name) ? factColumns(table) : []
  const shown = columns
    .map(({ column }) => column)
    .filter((column) => ![title, ...naming].some((each) => each?.name === column.name) && cellKind(column) !== 'json')
  return (
    <div ref={scroller} className="grid-frame">
      <ul
        className="cards"
        aria-label={grid.recordsOf(table.name)}
        aria-busy={records !== wanted || !records.isLoaded || there.length < drawn.length}
        style={{ height: rows * cardHeight }}
      >
        {there.map((index) => {
          const row = records.rowAt(index)
          const named = row && naming.length > 0 && factsText(table, row.record, tables)
          const label = named || (title && toName(row?.record[title.name], title)) || row?.key || ''
          return (
            <li key={index} className="record-card" style={{ top: index * cardHeight }} aria-posinset={index + 1} aria-setsize={rows}>
              <button
                type="button"
                className="record-card-name"
                data-row={index}
                data-column={Math.max(0, active.column)}
                aria-label={grid.openNamed(label)}
                onClick={() => openRecord(index)}
              >
                {label}
              </button>
              {row ? <Facts columns={shown} values={row.record} /> : null}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const toName = (value: unknown, column: GridColumn): string =>
  cellKind(column) === 'text' ? toPlainText(value) : displayText(value, column, { yes: '', no: '' })

/** The first values that are not empty. */
function Facts({ columns, values }: { columns: readonly GridColumn[]; values: Readonly<Record<string, unknown>> }) {
  const filled = columns.filter(({ name }) => isFilled(values[name])).slice(0, maxFacts)
  return (
    <div className="record-card-facts">
      {filled.map((column) => (
        <span key={column.id} className="record-card-fact">
          {cellKind(column) === 'boolean' ? <Icon name="check" size={13} /> : <span className="visually-hidden">{column.name}: </span>}
          {cellKind(column) === 'boolean' ? (
            <span className="grid-text">{column.name}</span>
          ) : (
            <CellContent value={values[column.name]} column={column} size={{ width: 160, lines: 1 }} />
          )}
        </span>
      ))}
    </div>
  )
}

/** “No” beside the name of a column says nothing, so it counts as empty. */
const isFilled = (value: unknown): boolean =>
  value !== false && value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
