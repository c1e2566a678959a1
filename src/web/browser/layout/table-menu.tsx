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

/** The actions for a whole table. */
export function TableMenu({ table }: { table: TableView }) {
  const { access, history, tables } = useStrings()
  const [openDialog, setOpenDialog] = useState<'rename' | 'delete' | null>(null)
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
        <Menu.Item leftSection={<Icon name="trash" size={16} />} color="var(--app-danger)" onClick={() => setOpenDialog('delete')}>
          {tables.delete}
        </Menu.Item>
      </LazyMenu>
      <RenameDialog table={table} isOpen={openDialog === 'rename'} close={close} />
      <DeleteDialog table={table} isOpen={openDialog === 'delete'} close={close} />
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
