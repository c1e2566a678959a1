import { useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import type { Query, Sort } from '../data/list-query'
import { arrange, leastWidth, mostWidth, moved, type View } from '../view/column-layout'
import type { HeadActions } from '../view/header'

type Work = {
  table: TableView
  view: View
  change: (patch: (view: View) => View) => void
  query: Query
  setQuery: (query: Query) => void
  toggleAll: () => void
}

const toggled = (ids: string[] = [], id: string, isIn: boolean) =>
  isIn ? [...ids.filter((each) => each !== id), id] : ids.filter((each) => each !== id)

const sorted = (sort: Sort[], column: string, isDescending: boolean | null, isMore: boolean): Sort[] => {
  const rest = isMore ? sort.filter((each) => each.column !== column) : []
  return isDescending === null ? rest : [...rest, { column, isDescending }]
}

/** What the menus of the columns do, and the mouse on the head. */
export function useHeadActions({ table, view, change, query, setQuery, toggleAll }: Work) {
  const [filterColumn, setFilterColumn] = useState<{ name: string } | null>(null)
  const resize = (id: string, width: number) =>
    change((before) => ({ ...before, widths: { ...before.widths, [id]: Math.max(leastWidth, Math.min(mostWidth, width)) } }))
  const actions: HeadActions = {
    checkAll: toggleAll,
    resize,
    move: (id, target) => change((before) => moved(table, before, id, target)),
    sortBy: (name, isDescending, isMore) => setQuery({ ...query, sort: sorted(query.sort, name, isDescending, isMore) }),
    filterBy: (name) => setFilterColumn({ name }),
    hide: (id) => change((before) => ({ ...before, hidden: toggled(before.hidden, id, true) })),
    pin: (id, isPinned) => change((before) => ({ ...before, pinned: toggled(before.pinned, id, isPinned) })),
    shift: (id, by) => {
      const placed = arrange(table, view)
      const target = placed[placed.findIndex(({ column }) => column.id === id) + by]
      if (target) change((before) => moved(table, before, id, target.column.id))
    },
    widen: (id, by) => resize(id, (arrange(table, view).find(({ column }) => column.id === id)?.width ?? 0) + by),
  }
  return { actions, filterColumn }
}
