import { Button, Menu, Popover, TextInput } from '@mantine/core'
import { memo, useEffect, useRef, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { generatedKeys, hiddenColumns } from '../../../records/list/column-layout'
import type { ListQuery } from '../../../records/list/list-query'
import type { SavedView } from '../../../records/list/table-queries'
import { canWriteAny } from '../../../records/values/column'
import { TableTools } from '../tools/table-tools'
import { ToolButton, type ToolButtonProps } from '../tools/tool-button'
import type { DefinitionActions } from '../view/column-menu'
import { type FilterPanelProps, useFilterPanel } from './filter/use-filter-panel'
import { RowHeightMenu } from './row-height-menu'
import { useSortPanel } from './sort/use-sort-panel'
import { ViewButton } from './views/view-button'

type ToolbarActions = {
  change: (patch: (view: SavedView) => SavedView) => void
  setQuery: (query: ListQuery) => void
  newRow: () => void
  undo: () => void
  redo: () => void
  refresh: () => void
}

type ToolbarProps = {
  table: TableView
  view: SavedView
  query: ListQuery
  actions: ToolbarActions
  isRefreshing: boolean
  canUndo: boolean
  canRedo: boolean
  /** The query string of the displayed list. */
  parameters: string
  definition: DefinitionActions | null
} & Pick<FilterPanelProps, 'refused' | 'filterColumn'>

/** On the left, the display of the records; on the right, search, undo, refresh, the table's menu and new records. */
export const Toolbar = memo(function Toolbar(props: ToolbarProps) {
  const { table, view, query, actions, isRefreshing, canUndo, canRedo, parameters, definition, refused, filterColumn } = props
  const { change, setQuery } = actions
  const canEdit = canWriteAny(table)
  const { columns, grid } = useStrings()
  const filterPanel = useFilterPanel({ table, query, setQuery, refused, filterColumn })
  const sortPanel = useSortPanel({ table, query, setQuery })
  return (
    <>
      <ViewButton view={view} query={query} />
      <div className="grid-tools is-start">
        {filterPanel.button}
        {sortPanel.button}
        <VisibleColumns table={table} view={view} change={change} />
        <RowHeightMenu view={view} change={change} />
      </div>
      <div className="grid-tools is-end">
        <SearchField query={query} setQuery={setQuery} />
        <ToolButton icon="refresh" label={grid.refresh} isBusy={isRefreshing} act={actions.refresh} />
        {canEdit ? (
          <>
            <ToolButton icon="undo" label={grid.undo} isDisabled={!canUndo} act={actions.undo} />
            <ToolButton icon="redo" label={grid.redo} isDisabled={!canRedo} act={actions.redo} />
          </>
        ) : null}
      </div>
      <div className="grid-tools is-main">
        <TableTools table={table} parameters={parameters} viewName={view.named?.name}>
          <MenuTool
            icon={view.isGridOnPhone ? 'lines' : 'table'}
            label={view.isGridOnPhone ? grid.asList : grid.asGrid}
            act={() => change((before) => ({ ...before, isGridOnPhone: !before.isGridOnPhone }))}
          />
          {definition ? <MenuTool icon="plus" label={columns.add} act={() => definition.add(null)} /> : null}
          <MenuTool icon="refresh" label={grid.refresh} act={actions.refresh} />
          {canEdit ? (
            <>
              <MenuTool icon="undo" label={grid.undo} isDisabled={!canUndo} act={actions.undo} />
              <MenuTool icon="redo" label={grid.redo} isDisabled={!canRedo} act={actions.redo} />
            </>
          ) : null}
        </TableTools>
        {table.can.create ? (
          <Button size="xs" leftSection={<Icon name="plus" size={15} />} aria-label={grid.newRow} onClick={actions.newRow}>
            <span className="only-wide">{grid.newRow}</span>
          </Button>
        ) : null}
      </div>
      {filterPanel.panel}
      {sortPanel.panel}
    </>
  )
})

/** A menu item for a button that does not fit on a phone. */
const MenuTool = ({ icon, label, isDisabled, act }: ToolButtonProps) => (
  <Menu.Item className="only-narrow" leftSection={<Icon name={icon} size={16} />} disabled={isDisabled} onClick={act}>
    {label}
  </Menu.Item>
)

/** The delay before typing starts a search. */
const searchDelayMs = 300

function SearchField({ query, setQuery }: { query: ListQuery; setQuery: (query: ListQuery) => void }) {
  const { grid } = useStrings()
  const [text, setText] = useState(query.q)
  const field = useRef<HTMLInputElement>(null)
  const latest = useRef({ query, setQuery })
  latest.current = { query, setQuery }
  useEffect(() => setText(query.q), [query.q])
  useEffect(() => {
    if (text === latest.current.query.q) return
    const timer = setTimeout(() => latest.current.setQuery({ ...latest.current.query, q: text }), searchDelayMs)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    // The browser's search finds rendered rows only. A second Ctrl+F opens it.
    const find = (event: KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f' && !event.shiftKey && !event.altKey
      if (!isFind || document.activeElement === field.current || document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener('keydown', find)
    return () => document.removeEventListener('keydown', find)
  }, [])
  return (
    <TextInput
      ref={field}
      className="grid-search"
      size="xs"
      type="search"
      aria-label={grid.search}
      placeholder={grid.search}
      leftSection={<Icon name="search" size={15} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') setQuery({ ...query, q: text })
      }}
    />
  )
}

function VisibleColumns({ table, view, change }: Pick<ToolbarProps, 'table' | 'view'> & Pick<ToolbarActions, 'change'>) {
  const { grid } = useStrings()
  const hidden = new Set(hiddenColumns(table, view))
  const count = hiddenColumns(table, view).filter((id) => !generatedKeys(table).includes(id)).length
  const set = (id: string, isShown: boolean) =>
    change((before) => {
      const others = hiddenColumns(table, before).filter((each) => each !== id)
      return { ...before, hidden: isShown ? others : [...others, id] }
    })
  return (
    <Popover position="bottom-end" shadow="md" trapFocus transitionProps={{ duration: 80 }}>
      <Popover.Target>
        <Button
          variant={count ? 'light' : 'subtle'}
          color={count ? undefined : 'gray'}
          size="xs"
          leftSection={<Icon name="columns" size={15} />}
        >
          {grid.columns(count)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={grid.visibleColumns}>
        <div className="grid-columns">
          {table.columns.map(({ id, name }) => (
            <label key={id}>
              <input type="checkbox" checked={!hidden.has(id)} onChange={(event) => set(id, event.currentTarget.checked)} />
              {name}
            </label>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
