import { ActionIcon, Menu } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../tables/model'
import { api, unwrap } from '../api/client'
import { queryClient, tablesQuery } from '../api/queries'
import { ConfirmDialog } from '../components/confirm-dialog'
import { CancelButton, Dialog } from '../components/dialog'
import { TextField } from '../components/form/fields'
import { Form, type FormValues } from '../components/form/form'
import { Icon } from '../components/icon'
import { LazyMenu } from '../components/lazy-menu'
import { useStrings } from '../language'
import { SectionDialog } from './section-dialog'
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
  const [openDialog, setOpenDialog] = useState<'rename' | 'section' | 'delete' | null>(null)
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
      <RenameDialog table={table} isOpen={openDialog === 'rename'} close={close} />
      <SectionDialog
        table={table}
        sections={sections}
        isOpen={openDialog === 'section'}
        close={close}
        move={(section) => move(table, { section })}
      />
      <DeleteDialog table={table} isOpen={openDialog === 'delete'} close={close} />
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

type TableDialogProps = { table: TableView; isOpen: boolean; close: () => void }

function RenameDialog({ table, isOpen, close }: TableDialogProps) {
  const { tables } = useStrings()
  const rename = async ({ name = '' }: FormValues) => {
    await unwrap(api.tables({ tableId: table.id }).patch({ name }))
    await queryClient.invalidateQueries(tablesQuery)
    close()
  }
  return (
    <Dialog title={tables.renameTitle(table.name)} isOpen={isOpen} close={close}>
      <Form action={tables.rename} submit={rename} beside={<CancelButton close={close} />}>
        <TextField
          name="name"
          label={tables.name}
          defaultValue={table.name}
          required
          withAsterisk={false}
          autoComplete="off"
          data-autofocus
        />
      </Form>
    </Dialog>
  )
}

function DeleteDialog({ table, isOpen, close }: TableDialogProps) {
  const { tables } = useStrings()
  const navigate = useNavigate()
  const { tableId } = useParams({ strict: false })
  const remove = async () => {
    await unwrap(api.tables({ tableId: table.id }).delete(undefined, { query: { confirm: table.name } }))
    if (tableId === table.id) await navigate({ to: '/' })
    await queryClient.invalidateQueries(tablesQuery)
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      close={close}
      title={tables.deleteTitle(table.name)}
      text={tables.deleteText}
      action={tables.deleteAction}
      name={table.name}
      onConfirm={remove}
    />
  )
}
