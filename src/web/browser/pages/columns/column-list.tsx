import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { toErrorMessage } from '../../api/api-error'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../../records/values/column'
import { ColumnRow } from './column-row'
import { useColumnOrder } from './use-column-order'

type ColumnListProps = { table: TableView; canChange: boolean; edit: (column: ColumnInfo) => void; remove: (column: ColumnInfo) => void }

/** The columns in their order. Dragging a handle, and its arrow keys, change the order. */
export function ColumnList({ table, canChange, edit, remove }: ColumnListProps) {
  const strings = useStrings()
  const words = strings.columns
  const { columns, move, error } = useColumnOrder(table)
  const list = useRef<HTMLUListElement>(null)
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null)
  const [movedId, setMovedId] = useState<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: moving an element may take the focus from its handle
  useEffect(() => {
    if (movedId) list.current?.querySelector<HTMLElement>(`[data-handle="${movedId}"]`)?.focus()
  }, [movedId, columns])

  /** The position in the list at the height of the pointer. */
  const indexAt = (y: number) => {
    const rows = [...list.current!.children].map((row) => row.getBoundingClientRect())
    const index = rows.findIndex(({ bottom }) => y < bottom)
    return index < 0 ? rows.length - 1 : index
  }
  const press = (event: KeyboardEvent, column: ColumnInfo, index: number) => {
    const to = index + ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0)
    if (to === index) return
    event.preventDefault()
    if (!columns[to]) return
    move(column, to)
    setMovedId(column.id)
  }
  const handlers = (column: ColumnInfo, index: number) => ({
    onKeyDown: (event: KeyboardEvent) => press(event, column, index),
    onBlur: () => setMovedId(null),
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId)
      setDrag({ from: index, to: index })
    },
    onPointerMove: (event: PointerEvent) => drag && setDrag({ from: index, to: indexAt(event.clientY) }),
    onPointerUp: () => {
      if (drag && drag.to !== index) move(column, drag.to)
    },
    onLostPointerCapture: () => setDrag(null),
  })
  const position = columns.findIndex(({ id }) => id === movedId)
  const targetClass = (index: number) => {
    if (!drag || drag.to !== index || drag.from === index) return ''
    return drag.from < index ? 'is-target-below' : 'is-target-above'
  }
  return (
    <>
      {canChange ? (
        <p id="order-help" className="soft">
          {words.orderHelp}
        </p>
      ) : null}
      <ul ref={list} className="columns" aria-label={words.title(table.name)}>
        {columns.map((column, index) => (
          <ColumnRow
            key={column.id}
            table={table}
            column={column}
            className={[drag?.from === index ? 'is-dragged' : '', targetClass(index)].join(' ')}
            handle={
              canChange ? (
                <button
                  type="button"
                  className="column-handle"
                  data-handle={column.id}
                  aria-label={words.move(column.name)}
                  aria-describedby="order-help"
                  {...handlers(column, index)}
                >
                  <Icon name="grip" size={16} />
                </button>
              ) : null
            }
            edit={canChange ? () => edit(column) : undefined}
            remove={canChange && !table.primaryKey.includes(column.name) ? () => remove(column) : undefined}
          />
        ))}
      </ul>
      <p role="status" className="visually-hidden">
        {position < 0 ? '' : words.movedTo(columns[position]!.name, position + 1, columns.length)}
      </p>
      <p role="alert" className="alert">
        {error ? toErrorMessage(error, strings) : ''}
      </p>
    </>
  )
}
