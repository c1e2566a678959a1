import { TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { toErrorMessage } from '../../api/api-error'
import { Icon } from '../../components/icon'
import { TableMark } from '../../components/initials'
import { useStrings } from '../../language'
import { readCollapsedGroups, rememberCollapsedGroups } from '../../session/collapsed-groups'
import { tableColors } from '../../values/table-colors'
import { type DropTarget, groupKey, movableTables, type TableGroup, tableGroups } from './table-groups'
import { TableMenu } from './table-menu'
import { useTableMoves } from './use-table-moves'

/** With fewer tables, scanning the list is faster than typing. */
const minTablesToSearch = 6

type TableListProps = { tables: TableView[]; isAdmin: boolean; choose: () => void }

/** The tables by section and schema, with a search field. */
export function TableList({ tables, isAdmin, choose }: TableListProps) {
  const strings = useStrings()
  const { shell, tables: words } = strings
  const [text, setText] = useState('')
  const [collapsed, setCollapsed] = useState(readCollapsedGroups)
  const groups = useMemo(() => tableGroups(tables), [tables])
  const remember = (next: readonly string[]) => {
    setCollapsed(next)
    rememberCollapsedGroups(next)
  }
  const expand = (key: string) => remember(collapsed.filter((each) => each !== key))
  const toggle = (key: string) => (collapsed.includes(key) ? expand(key) : remember([...collapsed, key]))
  const { list, error, moved, moveFromMenu, showError, drag } = useTableMoves(groups, expand)
  const colors = tableColors(tables)
  const sections = groups.flatMap(({ section }) => section ?? [])
  const search = text.trim().toLowerCase()
  const found = groups.flatMap((group) => {
    const matching = group.tables.filter(({ name }) => name.toLowerCase().includes(search))
    return matching.length > 0 ? { ...group, matching } : []
  })
  const movedText = (table: TableView) => {
    const order = groups.filter(({ key }) => key === groupKey(table)).flatMap(movableTables)
    const index = order.findIndex(({ id }) => id === table.id)
    return index < 0 ? '' : words.movedTo(table.name, index + 1, order.length, table.section)
  }
  return (
    <>
      {tables.length < minTablesToSearch ? null : <SearchField text={text} setText={setText} />}
      <div ref={list} className="nav-list" {...(isAdmin ? drag.handlers : {})}>
        {found.map((group) => (
          <TableGroupList
            key={group.key}
            group={group}
            isOpen={search !== '' || !collapsed.includes(group.key)}
            toggle={() => toggle(group.key)}
            target={drag.target?.key === group.key ? drag.target : null}
          >
            {(table) => (
              <>
                <Link to="/tables/$tableId" params={{ tableId: table.id }} className="nav-link" onClick={choose}>
                  <TableMark name={table.name} color={colors.get(table.id)} />
                  <span className="nav-name">{table.name}</span>
                </Link>
                {isAdmin && table.createdAt !== null ? (
                  <TableMenu table={table} group={group} sections={sections} move={moveFromMenu} showError={showError} />
                ) : null}
              </>
            )}
          </TableGroupList>
        ))}
        {tables.length > 0 && found.length === 0 ? <p className="nav-empty soft">{shell.noMatchingTables}</p> : null}
      </div>
      <p role="status" className="visually-hidden">
        {moved ? movedText(moved) : ''}
      </p>
      <p role="alert" className="alert">
        {error ? toErrorMessage(error, strings) : ''}
      </p>
    </>
  )
}

function SearchField({ text, setText }: { text: string; setText: (text: string) => void }) {
  const { shell } = useStrings()
  return (
    <TextInput
      className="nav-search"
      size="xs"
      type="search"
      aria-label={shell.findTable}
      placeholder={shell.findTable}
      leftSection={<Icon name="search" size={15} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}

type TableGroupListProps = {
  group: TableGroup & { matching: TableView[] }
  isOpen: boolean
  toggle: () => void
  target: DropTarget | null
  children: (table: TableView) => ReactNode
}

function TableGroupList({ group: { key, schema, heading, matching }, isOpen, toggle, target, children }: TableGroupListProps) {
  const { shell } = useStrings()
  const isOwn = schema === 'data'
  const classOf = (name: string, tableId: string | null) =>
    target?.tableId === tableId ? `${name} ${target.isBelow ? 'is-target-below' : 'is-target-above'}` : name
  return (
    <div>
      {heading === null ? null : (
        <button
          type="button"
          className={classOf('nav-group', null)}
          data-group={isOwn ? key : undefined}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          <Icon name={isOpen ? 'chevron' : 'right'} size={14} />
          <span className="nav-name">{heading}</span>
        </button>
      )}
      {isOpen ? (
        <ul aria-label={heading ?? shell.tables}>
          {matching.map((table) => (
            <li key={table.id} className={classOf('nav-item', table.id)} data-group={isOwn ? key : undefined} data-table={table.id}>
              {children(table)}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
