import { NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../api/api-error'
import { documentsQuery, type Template } from '../../api/documents-query'
import { tablesQuery } from '../../api/queries'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useLanguage, useStrings } from '../../language'
import { NotFound } from '../../layout/not-found'
import { Page } from '../../layout/page'
import { documentParameters } from '../../records/list/record-templates'
import { documentRecord } from './document-record'
import { DocumentPreview } from './preview'
import { SaveToRecord } from './save-to-record'
import { SchemaFields } from './schema-fields'
import { brokenLists, hasRequiredInput, initialInput, toParameterValues, toUrlParameters } from './schema-values'
import { useDocument } from './use-document'

/** One template: a form for its parameters beside a preview. */
export function DocumentPage() {
  const { documents } = useStrings()
  const { plugin, template } = useParams({ from: '/app/documents/$plugin/$template' })
  const query = useQuery(documentsQuery())
  const found = query.data?.find((each) => each.plugin === plugin && each.template === template)
  if (found) return <LoadedTemplate key={`${plugin}/${template}`} template={found} />
  if (query.data) return <NotFound />
  return (
    <Page title={documents.title}>
      <Await query={query} lines={8}>
        {() => null}
      </Await>
    </Page>
  )
}

/** The delay after the last key before a document is rendered. */
const previewDelayMs = 500

function LoadedTemplate({ template }: { template: Template }) {
  const { documents } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const schema = template.params ?? {}
  const [typed, setTyped] = useState(() => initialInput(schema, documentParameters(location)))
  const [format, setFormat] = useState(template.formats[0] ?? '')
  const broken = brokenLists(schema, typed)
  const isReady = hasRequiredInput(schema, typed) && broken.length === 0
  const language = useLanguage()
  const address = new URLSearchParams([['format', format], ...toUrlParameters(schema, typed)])
  // The browser requests frames and links in its own language, not that of the UI.
  if (!schema.properties?.language) address.set('language', language)
  const path = `/api/v1/documents/${encodeURIComponent(template.plugin)}/${encodeURIComponent(template.template)}`
  const [settled] = useDebouncedValue(isReady ? `${path}?${address}` : null, previewDelayMs)
  const query = useDocument(settled)
  const isCurrent = query.isSuccess && !query.isPlaceholderData
  const problemOf = (name: string) => {
    if (broken.includes(name)) return documents.brokenArray
    return query.error instanceof ApiError ? query.error.fieldError(name) : undefined
  }
  return (
    <Page title={template.title}>
      <div className="document">
        <Panel title={documents.parameters} text={schema.properties ? undefined : documents.noParameters}>
          <div className="form">
            <SchemaFields
              schema={schema}
              typed={typed}
              change={setTyped}
              problemOf={problemOf}
              tables={{ parameter: template.for?.tableParam, choices: tables.map(({ id, name }) => ({ value: id, label: name })) }}
            />
            <NativeSelect
              label={documents.format}
              value={format}
              onChange={(event) => setFormat(event.currentTarget.value)}
              data={template.formats.map((value) => ({ value, label: documents.formats[value] ?? value }))}
            />
          </div>
        </Panel>
        <DocumentPreview template={template} address={settled} query={query} />
        <SaveToRecord
          path={path}
          order={{ format, params: toParameterValues(schema, typed) }}
          record={documentRecord(template, isCurrent ? settled : null, tables)}
          fileName={(isCurrent && query.data?.name.replace(/\.\w+$/, '')) || ''}
        />
      </div>
    </Page>
  )
}
