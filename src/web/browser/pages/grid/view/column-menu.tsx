import { Menu } from '@mantine/core'
import { Fragment, type Ref } from 'react'
import { findColumnType } from '../../../../../tables/column-types/descriptors'
import { Icon, type IconName } from '../../../components/icon'
import { useStrings } from '../../../language'
import type { ColumnPlace, PlacedColumn } from '../../../records/list/column-layout'
import { maxSortColumns, type Sort } from '../../../records/list/list-query'
import type { GridColumn } from '../../../records/values/cell-values'

export type ColumnMenuActions = {
  /** @param isMore adds to the existing sort columns @param isDescending null removes the column from the sort */
  sortBy: (name: string, isDescending: boolean | null, isMore: boolean) => void
  filterBy: (name: string) => void
  hide: (id: string) => void
  pin: (id: string, isPinned: boolean) => void
  shift: (id: string, by: -1 | 1) => void
  widen: (id: string, by: number) => void
}

/** Changes of the table itself, for users who may make them. */
export type DefinitionActions = {
  /** @throws ApiError */
  rename: (column: GridColumn, name: string) => Promise<unknown>
  /** Whether the column can be chosen to name the records. */
  canBecomeName: (column: GridColumn) => boolean
  becomeName: (column: GridColumn) => void
  /** Adds a choice to a column of choices; `refresh` then fetches the table again. @returns whether it was added */
  addChoice: (column: GridColumn, choice: string) => Promise<boolean>
  refresh: () => void
  edit: (column: GridColumn, isDescriptionFocused: boolean) => void
  add: (place: ColumnPlace) => void
  duplicate: (column: GridColumn) => void
  remove: (column: GridColumn) => void
}

type ColumnMenuProps = {
  placed: PlacedColumn
  sort: Sort[]
  actions: ColumnMenuActions
  definition: DefinitionActions | null
  /** Whether the column is part of the primary key, which cannot be deleted. */
  isKey: boolean
  rename: () => void
  fitWidth: () => void
  /** The distance of the menu from the left edge of the header, in pixels; null for its right edge. */
  left: number | null
  close: () => void
}

type Item = [icon: IconName, label: string, act: () => void]

/** All actions for a column, including those that a mouse user performs by dragging. */
export function ColumnMenu({ left, close, definition, isKey, ...props }: ColumnMenuProps) {
  const { columns: words } = useStrings()
  const { column } = props.placed
  const sections = [...useViewItems(props), ...useDefinitionItems(column, definition, props.rename)]
  return (
    <Menu
      opened
      onClose={close}
      position="bottom-start"
      offset={2}
      middlewares={{ flip: true, shift: true, size: { padding: 8 } }}
      returnFocus={false}
      withInitialFocusPlaceholder={false}
      // The key that opens the menu would close it again when the event reaches the document.
      clickOutsideEvents={['mousedown', 'touchstart']}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <Anchor left={left} />
      </Menu.Target>
      <Menu.Dropdown className="grid-menu-list">
        {sections.map((items, section) => (
          <Fragment key={items[0]![1]}>
            {section > 0 ? <Menu.Divider /> : null}
            {items.map(([icon, label, act], at) => (
              <Menu.Item
                key={label}
                leftSection={<Icon name={icon} size={16} />}
                data-autofocus={(section === 0 && at === 0) || undefined}
                onClick={act}
              >
                {label}
              </Menu.Item>
            ))}
          </Fragment>
        ))}
        {definition && !isKey ? (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<Icon name="trash" size={16} />} color="var(--app-danger)" onClick={() => definition.remove(column)}>
              {words.deleteMenu}
            </Menu.Item>
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The place where the menu opens. The button in the header has the ARIA attributes of the menu's target. */
const Anchor = ({ ref, left }: { ref?: Ref<HTMLSpanElement>; left: number | null }) => (
  <span ref={ref} className="grid-menu-anchor" style={left === null ? { right: 24 } : { left }} />
)

/** The user's own view: sort, filter, position and width. */
function useViewItems({ placed, sort, actions, fitWidth }: Pick<ColumnMenuProps, 'placed' | 'sort' | 'actions' | 'fitWidth'>): Item[][] {
  const { grid } = useStrings()
  const { column, isPinned } = placed
  const isSorted = sort.some(({ column: name }) => name === column.name)
  const isSecond = isSorted ? sort.length > 1 : sort.length > 0 && sort.length < maxSortColumns
  const sortItems: Item[] = [
    ['sortUp', grid.sortAscending, () => actions.sortBy(column.name, false, false)],
    ['sortDown', grid.sortDescending, () => actions.sortBy(column.name, true, false)],
  ]
  if (isSecond) {
    sortItems.push(['sortUp', grid.thenSortAscending, () => actions.sortBy(column.name, false, true)])
    sortItems.push(['sortDown', grid.thenSortDescending, () => actions.sortBy(column.name, true, true)])
  }
  if (isSorted) sortItems.push(['close', grid.removeSort, () => actions.sortBy(column.name, null, true)])
  sortItems.push(['filter', grid.filterBy, () => actions.filterBy(column.name)])
  return [
    sortItems,
    [
      ['eyeOff', grid.hide, () => actions.hide(column.id)],
      ['pin', isPinned ? grid.unpin : grid.pin, () => actions.pin(column.id, !isPinned)],
      ['left', grid.moveLeft, () => actions.shift(column.id, -1)],
      ['right', grid.moveRight, () => actions.shift(column.id, 1)],
      ['width', grid.fitWidth, fitWidth],
      ['plus', grid.wider, () => actions.widen(column.id, 40)],
      ['minus', grid.narrower, () => actions.widen(column.id, -40)],
    ],
  ]
}

/** Changes of the column itself, which affect everyone. */
function useDefinitionItems(column: GridColumn, definition: DefinitionActions | null, rename: () => void): Item[][] {
  const { columns: words } = useStrings()
  if (!definition) return []
  const { edit, add, duplicate, canBecomeName, becomeName } = definition
  return [
    [
      ['text', words.rename, rename],
      ['pencil', words.editMenu, () => edit(column, false)],
      ['info', words.descriptionMenu, () => edit(column, true)],
      ...(canBecomeName(column) ? [['check', words.becomeName, () => becomeName(column)] satisfies Item] : []),
      ['insertLeft', words.insertLeft, () => add({ anchor: column.id, side: 'left' })],
      ['insertRight', words.insertRight, () => add({ anchor: column.id, side: 'right' })],
      // The service computes some options of virtual columns, which cannot be sent.
      ...(findColumnType(column.type)?.isVirtual ? [] : [['copy', words.duplicate, () => duplicate(column)] satisfies Item]),
    ],
  ]
}
