import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { toApiError } from '../../api/api-error'
import { send } from '../../api/client'
import { documentsQuery, type Schema, type Template } from '../../api/documents-query'
import { queryClient } from '../../api/queries'
import { CancelButton, Dialog } from '../../components/dialog'
import { TextField } from '../../components/form/fields'
import { Form, type FormValues } from '../../components/form/form'
import { useStrings } from '../../language'
import { documentKey, recordParameters, templatePath, templatesFor, templateTitle } from '../../records/list/record-templates'
import type { ColumnInfo } from '../../records/values/column'
import { recordQuery } from '../../records/values/record-queries'
import { schemaKind } from '../../values/schema-value'
import { parseParameters } from './document-parameters'

/** The templates for a record of the table. They change only when the service restarts. */
export const useTemplates = (table: TableView): Template[] =>
  templatesFor(useQuery({ ...documentsQuery(), staleTime: 60_000 }).data ?? [], table)

type DocumentDialogProps = {
  table: TableView
  segment: string
  cells: readonly ColumnInfo[]
  templates: readonly Template[]
  isOpen: boolean
  close: () => void
}

/** Renders a document from a template and attaches it to the record. */
export function DocumentDialog(props: DocumentDialogProps) {
  const { record: words } = useStrings()
  return (
    <Dialog title={words.document} isOpen={props.isOpen} close={props.close}>
      <DocumentForm {...props} />
    </Dialog>
  )
}

const defaultText = (schema: Schema): string =>
  schemaKind(schema) === 'json' ? JSON.stringify(schema.default) : String(schema.default ?? '')

function DocumentForm({ table, segment, cells, templates, close }: DocumentDialogProps) {
  const { documents, record: words } = useStrings()
  const [chosen, setChosen] = useState(0)
  const template = templates[chosen]!
  const key = documentKey(table, segment)
  const fixed = Object.fromEntries(recordParameters(template, table, [segment]))
  const submit = async ({ format, column, ...values }: FormValues) => {
    const body = {
      format,
      params: parseParameters(template, values, fixed),
      saveTo: { table: table.id, pk: key, column },
    }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await send(`/api/v1/documents/${templatePath(template)}`, init)
    if (!response.ok) throw await toApiError(response)
    await queryClient.invalidateQueries(recordQuery(table, segment))
    close()
  }
  return (
    <Form key={templatePath(template)} action={words.documentAction} submit={submit} beside={<CancelButton close={close} />}>
      <NativeSelect
        label={words.template}
        value={chosen}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
        data={templates.map((each, index) => ({ value: String(index), label: templateTitle(each, templates) }))}
        data-autofocus
      />
      {Object.entries(template.params?.properties ?? {}).map(([name, parameter]) =>
        parameter.type === 'boolean' ? (
          <label key={name} className="check">
            <input type="checkbox" name={name} value="true" defaultChecked={parameter.default === true} />
            {parameter.title ?? name}
          </label>
        ) : (
          <TextField
            key={name}
            name={name}
            label={parameter.title ?? name}
            description={parameter.description}
            defaultValue={fixed[name] ?? defaultText(parameter)}
            required={template.params?.required?.includes(name) && parameter.default === undefined}
            autoComplete="off"
          />
        ),
      )}
      <div className="two">
        <NativeSelect
          name="format"
          label={words.format}
          data={template.formats.map((value) => ({ value, label: documents.formats[value] ?? value }))}
        />
        <NativeSelect name="column" label={words.intoColumn} data={cells.map(({ id, name }) => ({ value: id, label: name }))} />
      </div>
    </Form>
  )
}
