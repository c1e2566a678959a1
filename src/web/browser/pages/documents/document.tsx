import { NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Refusal } from '../../api/api-error'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { NotFound } from '../../layout/not-found'
import { Page } from '../../layout/page'
import { documentsQuery, type Template } from './documents-query'
import { Preview } from './preview'
import { SaveToRecord } from './save-to-record'
import { SchemaFields } from './schema-fields'
import { addressOf, bodyOf, firstValues, isComplete } from './schema-values'
import { useDocument } from './use-document'

/** One template: what goes in, and beside it what comes out. */
export function DocumentPage() {
  const { documents } = useStrings()
  const { plugin, template } = useParams({ from: '/app/documents/$plugin/$template' })
  const query = useQuery(documentsQuery)
  const found = query.data?.find((each) => each.plugin === plugin && each.template === template)
  if (found) return <Loaded key={`${plugin}/${template}`} template={found} />
  if (query.data) return <NotFound />
  return (
    <Page title={documents.title}>
      <Await query={query} lines={8}>
        {() => null}
      </Await>
    </Page>
  )
}

/** Nobody wants a document for every key that is pressed. */
const pauseMs = 500

function Loaded({ template }: { template: Template }) {
  const { documents } = useStrings()
  const schema = template.params ?? {}
  const [typed, setTyped] = useState(() => firstValues(schema, new URLSearchParams(location.search)))
  const [format, setFormat] = useState(template.formats[0] ?? '')
  const isReady = isComplete(schema, typed)
  const address = new URLSearchParams([['format', format], ...addressOf(schema, typed)])
  const path = `/api/v1/documents/${encodeURIComponent(template.plugin)}/${encodeURIComponent(template.template)}`
  const [settled] = useDebouncedValue(isReady ? `${path}?${address}` : null, pauseMs)
  const query = useDocument(settled)
  const problemOf = (name: string) => (query.error instanceof Refusal ? query.error.problemOf(name) : undefined)
  return (
    <Page title={template.title}>
      <div className="document">
        <Panel title={documents.parameters} text={schema.properties ? undefined : documents.noParameters}>
          <div className="form">
            <SchemaFields schema={schema} typed={typed} change={setTyped} problemOf={problemOf} />
            <NativeSelect
              label={documents.format}
              value={format}
              onChange={(event) => setFormat(event.currentTarget.value)}
              data={template.formats.map((value) => ({ value, label: documents.formats[value] ?? value }))}
            />
          </div>
        </Panel>
        <Preview template={template} format={format} address={settled} query={query} />
        <SaveToRecord path={path} order={{ format, params: bodyOf(schema, typed) }} />
      </div>
    </Page>
  )
}
