import { NativeSelect } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { refusalOf } from '../../../api/api-error'
import { send } from '../../../api/client'
import { queryClient } from '../../../api/queries'
import { asSegment } from '../../../api/urls'
import { CancelButton, Dialog } from '../../../components/dialog'
import { TextField } from '../../../components/fields'
import { Form, type Values } from '../../../components/form'
import { useStrings } from '../../../language'
import { type Column, titleColumn } from '../data/column'
import { recordQuery } from '../data/record-queries'
import { guessParameters, type Parameter, readParameters } from './document-parameters'

export type Template = {
  plugin: string
  template: string
  title: string
  formats: string[]
  params: { properties?: Record<string, Parameter>; required?: string[] } | null
}

const templatesQuery = queryOptions({
  queryKey: ['documents', 'templates'],
  staleTime: 60_000,
  queryFn: async (): Promise<Template[]> => {
    const response = await send('/api/v1/documents')
    if (!response.ok) throw await refusalOf(response)
    return ((await response.json()) as { documents: Template[] }).documents
  },
})

export const useTemplates = (): Template[] => useQuery(templatesQuery).data ?? []

type MakeDocumentProps = {
  table: TableView
  segment: string
  cells: readonly Column[]
  templates: readonly Template[]
  isOpen: boolean
  close: () => void
}

/** Makes a document from a template and puts it into a cell of the record. */
export function MakeDocument(props: MakeDocumentProps) {
  const { record: words } = useStrings()
  return (
    <Dialog title={words.document} isOpen={props.isOpen} close={props.close}>
      <DocumentForm {...props} />
    </Dialog>
  )
}

const nameOf = ({ plugin, template }: Template) => `${encodeURIComponent(plugin)}/${encodeURIComponent(template)}`

function DocumentForm({ table, segment, cells, templates, close }: MakeDocumentProps) {
  const { record: words } = useStrings()
  const [chosen, setChosen] = useState(0)
  const template = templates[chosen]!
  const key = decodeURIComponent(asSegment(segment))
  const about = { table: table.name, key, keyColumn: table.primaryKey[0] ?? '', title: titleColumn(table) }
  const guessed = guessParameters(template, about)
  const submit = async ({ format, column, ...values }: Values) => {
    const body = {
      format,
      params: readParameters(template, values),
      saveTo: { table: table.id, pk: key, column },
    }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await send(`/api/v1/documents/${nameOf(template)}`, init)
    if (!response.ok) throw await refusalOf(response)
    await queryClient.invalidateQueries(recordQuery(table, segment))
    close()
  }
  return (
    <Form key={nameOf(template)} action={words.documentAction} submit={submit} beside={<CancelButton close={close} />}>
      <NativeSelect
        label={words.template}
        value={chosen}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
        data={templates.map(({ title }, index) => ({ value: String(index), label: title }))}
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
            defaultValue={guessed[name] ?? String(parameter.default ?? '')}
            required={template.params?.required?.includes(name)}
            autoComplete="off"
          />
        ),
      )}
      <div className="two">
        <NativeSelect name="format" label={words.format} data={template.formats} />
        <NativeSelect name="column" label={words.intoColumn} data={cells.map(({ id, name }) => ({ value: id, label: name }))} />
      </div>
    </Form>
  )
}
