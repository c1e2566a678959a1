import { useState } from 'react'
import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { hiddenColumns, layOutColumns, maxWidth, minWidth, moveColumn, pinnedColumns } from '../../../records/list/column-layout'
import type { Sort } from '../../../records/list/list-query'
import { selectCell } from '../model/cell-selection'
import { useGridModel } from '../model/grid-model'
import type { HeaderActions } from '../view/header-cell'

const toggled = (ids: readonly string[], id: string, isIn: boolean) =>
  isIn ? [...ids.filter((each) => each !== id), id] : ids.filter((each) => each !== id)

const sorted = (sort: Sort[], column: string, isDescending: boolean | null, isMore: boolean): Sort[] => {
  const rest = isMore ? sort.filter((each) => each.column !== column) : []
  return isDescending === null ? rest : [...rest, { column, isDescending }]
}

/** The actions of column headers and their menus. */
export function useColumnActions(toggleAll: () => void) {
  const { table, view, change, gridQuery, select } = useGridModel()
  const { query, setQuery } = gridQuery
  const [filterColumn, setFilterColumn] = useState<{ name: string } | null>(null)
  const resize = (id: string, width: number) =>
    change((before) => ({ ...before, widths: { ...before.widths, [id]: Math.max(minWidth, Math.min(maxWidth, width)) } }))
  const actions = useStableCallbacks<HeaderActions>({
    checkAll: toggleAll,
    activate: (column) => select(selectCell(-1, column)),
    resize,
    move: (id, target) => change((before) => moveColumn(table, before, id, target)),
    sortBy: (name, isDescending, isMore) => setQuery({ ...query, sort: sorted(query.sort, name, isDescending, isMore) }),
    filterBy: (name) => setFilterColumn({ name }),
    hide: (id) => change((before) => ({ ...before, hidden: toggled(hiddenColumns(table, before), id, true) })),
    pin: (id, isPinned) => change((before) => ({ ...before, pinned: toggled(pinnedColumns(table, before), id, isPinned) })),
    shift: (id, by) => {
      const placed = layOutColumns(table, view)
      const target = placed[placed.findIndex(({ column }) => column.id === id) + by]
      if (target) change((before) => moveColumn(table, before, id, target.column.id))
    },
    widen: (id, by) => resize(id, (layOutColumns(table, view).find(({ column }) => column.id === id)?.width ?? 0) + by),
  })
  return { actions, filterColumn }
}
