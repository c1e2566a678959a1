import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { toApiError } from '../../api/api-error'
import { send } from '../../api/client'
import { queryClient, tablesQuery } from '../../api/queries'
import { useUser } from '../../api/use-user'
import { TextField } from '../../components/form/fields'
import { Form, type FormValues } from '../../components/form/form'
import { Panel } from '../../components/panel'
import { useStrings } from '../../language'
import type { DocumentRecord } from './document-record'

type RenderRequest = { format: string; params: Record<string, unknown> }

const fileColumns = ({ columns }: TableView) =>
  columns.filter(({ type, readOnly }) => type === 'attachment' && !readOnly).map(({ name }) => name)

type SaveToRecordProps = {
  path: string
  order: RenderRequest
  /** The record that the document is about. */
  record: DocumentRecord | null
  /** The proposed name, without the extension. */
  fileName: string
}

/** Renders the document again and saves it as a file of a record. */
export function SaveToRecord({ path, order, record, fileName }: SaveToRecordProps) {
  const { documents } = useStrings()
  const isAdmin = useUser().role === 'admin'
  const { data } = useQuery(tablesQuery)
  const tables = (data ?? []).filter((table) => fileColumns(table).length > 0 && table.can.update)
  const [chosen, setChosen] = useState<string>()
  const [typedKey, setTypedKey] = useState<string>()
  const [typedName, setTypedName] = useState<string>()
  const [saved, setSaved] = useState('')
  const table = tables.find(({ id }) => id === (chosen ?? record?.table.id)) ?? tables[0]
  if (!data || !(table || isAdmin)) return null
  if (!table) return <Panel title={documents.save} text={documents.noAttachments} />
  const save = async ({ pk = '', column = '', name = '' }: FormValues) => {
    setSaved('')
    const body = JSON.stringify({ ...order, saveTo: { table: table.id, pk, column, name: name.trim() || undefined } })
    const response = await send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    if (!response.ok) throw await toApiError(response)
    const { file } = (await response.json()) as { file: { name: string } }
    setSaved(documents.savedTo(file.name, table.name, pk))
    void queryClient.invalidateQueries({ queryKey: ['record', table.id] })
    await queryClient.invalidateQueries({ queryKey: ['records', table.id] })
  }
  return (
    <Panel title={documents.save} text={documents.saveText}>
      <Form action={documents.saveAction} submit={save}>
        <NativeSelect
          name="table"
          label={documents.table}
          value={table.id}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={tables.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <div className="two">
          <TextField
            name="pk"
            label={documents.record}
            description={documents.recordHelp(table.primaryKey.join(', '))}
            value={typedKey ?? (record?.table.id === table.id ? record.key : '')}
            onChange={(event) => setTypedKey(event.currentTarget.value)}
            required
            withAsterisk={false}
            autoComplete="off"
          />
          <NativeSelect name="column" label={documents.column} className="at-end-plain" data={fileColumns(table)} />
        </div>
        <TextField
          name="name"
          label={documents.fileName}
          description={`.${order.format}`}
          value={typedName ?? fileName}
          onChange={(event) => setTypedName(event.currentTarget.value)}
          maxLength={200}
          autoComplete="off"
        />
        <p role="status" className="notice">
          {saved}
        </p>
      </Form>
    </Panel>
  )
}
