import { type DragEvent, useEffect, useRef, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { api, unwrap } from '../../api/client'
import { queryClient, tablesQuery } from '../../api/queries'
import { type DropTarget, groupKey, movableTables, placeAt, type TableGroup, type TablePlace } from './table-groups'

const dragType = 'application/x-table'

/**
 * Moves of tables in the sidebar: from the menu of a table, which keeps the focus, and by dragging.
 * @param expand called with the key of the group into which the focus follows a table
 */
export function useTableMoves(groups: readonly TableGroup[], expand: (key: string) => void) {
  const list = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<unknown>(null)
  /** A table that was moved from its menu, until the list is read again. */
  const [pending, setPending] = useState<TableView | null>(null)
  const awaited = useRef<TableView | null>(null)
  const [moved, setMoved] = useState<TableView | null>(null)
  useEffect(() => {
    if (!pending) return
    const isShown = groups.some(({ tables }) => tables.some((table) => isAt(table, pending)))
    const isFirst = awaited.current !== pending
    awaited.current = pending
    if (!isShown && isFirst) return
    setPending(null)
    // Someone else has moved it since.
    if (!isShown) return
    setMoved(pending)
    list.current?.querySelector<HTMLElement>(`[data-table="${pending.id}"] > button`)?.focus()
  }, [pending, groups])

  /** @throws ApiError */
  const place = async (table: TableView, to: TablePlace) => {
    setError(null)
    try {
      return await unwrap(api.tables({ tableId: table.id }).patch(to))
    } finally {
      void queryClient.invalidateQueries(tablesQuery)
    }
  }
  /** @throws ApiError */
  const moveFromMenu = async (table: TableView, to: TablePlace) => {
    const placed = await place(table, to)
    expand(groupKey(placed))
    setPending(placed)
  }
  const findMovable = (id: string) => groups.flatMap(movableTables).find((each) => each.id === id)
  const drop = (id: string, target: DropTarget) => {
    const table = findMovable(id)
    const to = table && placeAt(groups, table, target)
    if (table && to) place(table, to).catch(setError)
  }
  return { list, error, moved, moveFromMenu, showError: setError, drag: useDrag((id) => findMovable(id) !== undefined, drop) }
}

const isAt = (table: TableView, { id, section, position }: TableView): boolean =>
  table.id === id && table.section === section && table.position === position

/** Drag handlers of the list. `data-group` and `data-table` identify its elements. */
function useDrag(canDrag: (id: string) => boolean, drop: (id: string, target: DropTarget) => void) {
  const [target, setTarget] = useState<DropTarget | null>(null)
  const handlers = {
    onDragStart: ({ target: element, dataTransfer }: DragEvent) => {
      const table = (element as HTMLElement).closest<HTMLElement>('[data-table]')
      if (!table || !canDrag(table.dataset.table!)) return
      dataTransfer.setData(dragType, table.dataset.table!)
      dataTransfer.effectAllowed = 'move'
    },
    onDragOver: (event: DragEvent) => {
      const found = event.dataTransfer.types.includes(dragType) ? targetOf(event) : null
      setTarget(found)
      if (found) event.preventDefault()
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      if (!currentTarget.contains(relatedTarget as Node | null)) setTarget(null)
    },
    onDrop: (event: DragEvent) => {
      const found = targetOf(event)
      setTarget(null)
      if (!found) return
      event.preventDefault()
      drop(event.dataTransfer.getData(dragType), found)
    },
  }
  return { target, handlers }
}

function targetOf({ target, clientY }: DragEvent): DropTarget | null {
  const element = (target as HTMLElement).closest<HTMLElement>('[data-group]')
  if (!element) return null
  const { top, height } = element.getBoundingClientRect()
  const { group, table } = element.dataset
  return { key: group!, tableId: table ?? null, isBelow: table === undefined || clientY > top + height / 2 }
}
