import { Menu } from '@mantine/core'
import { Icon } from '../../../components/icon'
import { LazyMenu } from '../../../components/lazy-menu'
import { useStrings } from '../../../language'
import type { Sort } from '../data/list-query'
import type { PlacedColumn } from './column-layout'

export type ColumnMenuActions = {
  /** @param isMore adds to the existing sort columns @param isDescending null removes the column from the sort */
  sortBy: (name: string, isDescending: boolean | null, isMore: boolean) => void
  filterBy: (name: string) => void
  hide: (id: string) => void
  pin: (id: string, isPinned: boolean) => void
  shift: (id: string, by: -1 | 1) => void
  widen: (id: string, by: number) => void
}

type ColumnMenuProps = { placed: PlacedColumn; sort: Sort[]; actions: ColumnMenuActions }

/** All actions for a column, including those that the mouse does by dragging. */
export function ColumnMenu({ placed: { column, isPinned }, sort, actions }: ColumnMenuProps) {
  const { grid } = useStrings()
  const isSorted = sort.some(({ column: name }) => name === column.name)
  const items: [string, () => void][] = [
    [grid.sortAscending, () => actions.sortBy(column.name, false, false)],
    [grid.sortDescending, () => actions.sortBy(column.name, true, false)],
  ]
  if (sort.length > (isSorted ? 1 : 0)) {
    items.push([grid.thenSortAscending, () => actions.sortBy(column.name, false, true)])
    items.push([grid.thenSortDescending, () => actions.sortBy(column.name, true, true)])
  }
  if (isSorted) items.push([grid.removeSort, () => actions.sortBy(column.name, null, true)])
  items.push(
    [grid.filterBy, () => actions.filterBy(column.name)],
    [isPinned ? grid.unpin : grid.pin, () => actions.pin(column.id, !isPinned)],
    [grid.moveLeft, () => actions.shift(column.id, -1)],
    [grid.moveRight, () => actions.shift(column.id, 1)],
    [grid.wider, () => actions.widen(column.id, 40)],
    [grid.narrower, () => actions.widen(column.id, -40)],
    [grid.hide, () => actions.hide(column.id)],
  )
  return (
    <LazyMenu
      button={
        <button type="button" className="grid-menu" tabIndex={-1} aria-label={grid.columnMenu(column.name)}>
          <Icon name="chevron" size={15} />
        </button>
      }
    >
      {items.map(([label, act]) => (
        <Menu.Item key={label} onClick={act}>
          {label}
        </Menu.Item>
      ))}
    </LazyMenu>
  )
}
