import { useNavigate, useParams } from '@tanstack/react-router'
import type { TableView } from '../../../tables/model'
import { api, unwrap } from '../api/client'
import { queryClient, tablesQuery } from '../api/queries'
import { ConfirmDialog } from '../components/confirm-dialog'
import { CancelButton, Dialog } from '../components/dialog'
import { TextField } from '../components/form/fields'
import { Form, type FormValues } from '../components/form/form'
import { useStrings } from '../language'
import type { TableDialogsProps } from './lazy-dialogs'
import { SectionDialog } from './section-dialog'

/** The dialogs that the menu of a table opens. */
export const TableDialogs = ({ table, sections, open, close, move }: TableDialogsProps) => (
  <>
    <RenameDialog table={table} isOpen={open === 'rename'} close={close} />
    <SectionDialog table={table} sections={sections} isOpen={open === 'section'} close={close} move={move} />
    <DeleteDialog table={table} isOpen={open === 'delete'} close={close} />
  </>
)

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
