import { FileInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { send } from '../../api'
import { CancelButton, Dialog } from '../../components/dialog'
import { TextField } from '../../components/fields'
import { Form, type Values } from '../../components/form'
import { useStrings } from '../../language'
import { queryClient, tablesQuery } from '../../queries'
import { refusalOf } from '../../refusal'

/** Makes a table from a CSV file, with the names and types that the service finds in it, and goes there. */
export function ImportTable({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { tables } = useStrings()
  const navigate = useNavigate()
  const [file, setFile] = useState<File | null>(null)
  const [name, setName] = useState('')
  const choose = (chosen: File | null) => {
    setFile(chosen)
    if (chosen && !name) setName(chosen.name.replace(/\.[^.]*$/, ''))
  }
  const submit = async (values: Values) => {
    const path = `/api/v1/tables/import?${new URLSearchParams({ name: values.name ?? '' })}`
    const response = await send(path, { method: 'POST', headers: { 'content-type': 'text/csv' }, body: file })
    if (!response.ok) throw await refusalOf(response)
    const { table } = (await response.json()) as { table: { id: string } }
    await queryClient.invalidateQueries(tablesQuery)
    await navigate({ to: '/tables/$tableId', params: { tableId: table.id } })
  }
  return (
    <Dialog title={tables.importTitle} isOpen={isOpen} close={close}>
      <Form action={tables.importAction} submit={submit} beside={<CancelButton close={close} />}>
        <FileInput
          name="file"
          label={tables.file}
          accept=".csv,.tsv,.txt,text/csv"
          required
          withAsterisk={false}
          value={file}
          onChange={choose}
          data-autofocus
        />
        <TextField
          name="name"
          label={tables.name}
          required
          withAsterisk={false}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </Form>
    </Dialog>
  )
}
