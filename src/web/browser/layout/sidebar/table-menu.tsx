import { ActionIcon, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { use, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { Icon } from '../../components/icon'
import { LazyMenu } from '../../components/lazy-menu'
import { useLazyMount } from '../../components/use-lazy-mount'
import { useStrings } from '../../language'
import { LazyDialogsContext, type TableDialogsProps } from '../lazy-dialogs'
import { movableTables, type TableGroup, type TablePlace } from './table-groups'

type TableMenuProps = {
  table: TableView
  group: TableGroup
  sections: readonly string[]
  move: (table: TableView, to: TablePlace) => Promise<void>
  showError: (error: unknown) => void
}

/** The actions for a whole table. */
export function TableMenu({ table, group, sections, move, showError }: TableMenuProps) {
  const { access, history, tables } = useStrings()
  const { TableDialogs } = use(LazyDialogsContext)
  const [openDialog, setOpenDialog] = useState<TableDialogsProps['open']>(null)
  const { isMounted } = useLazyMount(openDialog !== null)
  const close = () => setOpenDialog(null)
  return (
    <>
      <LazyMenu
        button={
          <ActionIcon variant="transparent" color="gray" aria-label={tables.menuOf(table.name)}>
            <Icon name="more" size={16} />
          </ActionIcon>
        }
      >
        <Menu.Item
          leftSection={<Icon name="table" size={16} />}
          renderRoot={(props) => <Link {...props} to="/tables/$tableId/columns" params={{ tableId: table.id }} />}
        >
          {tables.columns}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="clock" size={16} />}
          renderRoot={(props) => <Link {...props} to="/tables/$tableId/history" params={{ tableId: table.id }} />}
        >
          {history.recent}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="eye" size={16} />}
          renderRoot={(props) => <Link {...props} to="/settings/access" search={{ table: table.id }} />}
        >
          {access.ofTable}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="pencil" size={16} />} onClick={() => setOpenDialog('rename')}>
          {tables.rename}
        </Menu.Item>
        <MoveItems table={table} group={group} move={move} showError={showError} />
        <Menu.Item leftSection={<Icon name="lines" size={16} />} onClick={() => setOpenDialog('section')}>
          {tables.moveToSection}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="trash" size={16} />} color="var(--app-danger)" onClick={() => setOpenDialog('delete')}>
          {tables.delete}
        </Menu.Item>
      </LazyMenu>
      {isMounted ? (
        <TableDialogs table={table} sections={sections} open={openDialog} close={close} move={(section) => move(table, { section })} />
      ) : null}
    </>
  )
}

function MoveItems({ table, group, move, showError }: Omit<TableMenuProps, 'sections'>) {
  const { tables } = useStrings()
  const order = movableTables(group)
  const position = order.findIndex(({ id }) => id === table.id)
  const moveBy = (step: number) => move(table, { section: table.section, position: position + step }).catch(showError)
  return (
    <>
      {position > 0 ? (
        <Menu.Item leftSection={<Icon name="up" size={16} />} onClick={() => moveBy(-1)}>
          {tables.moveUp}
        </Menu.Item>
      ) : null}
      {position < order.length - 1 ? (
        <Menu.Item leftSection={<Icon name="chevron" size={16} />} onClick={() => moveBy(1)}>
          {tables.moveDown}
        </Menu.Item>
      ) : null}
    </>
  )
}
