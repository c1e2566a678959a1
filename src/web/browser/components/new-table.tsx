import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, unwrap } from '../api/client'
import { queryClient, tablesQuery } from '../api/queries'
import { useStrings } from '../language'
import { CancelButton, Dialog } from './dialog'
import { TextField } from './form/fields'
import { Form, type FormValues } from './form/form'
import { Icon } from './icon'

/** Creates a table with one column and opens it. */
export function NewTableForm({ isOpen, close, done = () => {} }: { isOpen: boolean; close: () => void; done?: () => void }) {
  const { tables, transfer } = useStrings()
  const navigate = useNavigate()
  const submit = async ({ name = '' }: FormValues) => {
    const created = await unwrap(api.tables.post({ name, columns: [{ name: tables.firstColumn, type: 'text' }] }))
    await queryClient.invalidateQueries(tablesQuery)
    close()
    done()
    await navigate({ to: '/tables/$tableId', params: { tableId: created.id } })
  }
  return (
    <Dialog title={tables.create} isOpen={isOpen} close={close}>
      <Button
        component={Link}
        to="/tables/import"
        variant="default"
        fullWidth
        mb="md"
        leftSection={<Icon name="upload" size={16} />}
        onClick={() => [close(), done()]}
      >
        {transfer.newTable}
      </Button>
      <Form action={tables.createAction} submit={submit} beside={<CancelButton close={close} />}>
        <TextField
          name="name"
          label={tables.name}
          description={tables.nameHelp}
          required
          withAsterisk={false}
          autoComplete="off"
          data-autofocus
        />
      </Form>
    </Dialog>
  )
}
