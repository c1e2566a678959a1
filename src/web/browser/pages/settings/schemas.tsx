import { Button, TextInput } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, take } from '../../api/client'
import { tablesQuery } from '../../api/queries'
import { CodeBlock } from '../../components/code-block'
import { Panel } from '../../components/panel'
import { Await, Empty } from '../../components/query-state'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'

const reportQuery = (schema: string) =>
  queryOptions({
    queryKey: ['schemas', schema],
    staleTime: 0,
    queryFn: () => take(api.schemas({ schema: encodeURIComponent(schema) }).report.get()),
  })

type Report = { name: string; kind: string; level: 'full' | 'readOnly' | 'refused'; reasons: string[] }[]

/** What can be served of a schema of the database, and what to do about the rest; of those that are served, and of any other. */
export function SchemasPage() {
  const { admin } = useStrings()
  useDocumentTitle(admin.schemas)
  const { data: tables = [] } = useQuery(tablesQuery)
  const served = [...new Set(tables.map(({ schema }) => schema))].filter((schema) => schema !== 'data')
  const [asked, setAsked] = useState<string>()
  const schema = asked ?? served[0] ?? 'public'
  return (
    <Panel title={admin.schemas} text={admin.schemasText}>
      <form
        className="ask"
        onSubmit={(event) => {
          event.preventDefault()
          setAsked(String(new FormData(event.currentTarget).get('schema')))
        }}
      >
        <TextInput
          key={schema}
          name="schema"
          label={admin.schema}
          defaultValue={schema}
          required
          withAsterisk={false}
          autoComplete="off"
          list="schemas"
        />
        <datalist id="schemas">
          {served.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Button type="submit" variant="default">
          {admin.show}
        </Button>
      </form>
      {served.includes(schema) || schema === 'data' ? null : <p className="soft">{admin.notServed(schema)}</p>}
      <ShownReport key={schema} schema={schema} />
    </Panel>
  )
}

function ShownReport({ schema }: { schema: string }) {
  const { admin } = useStrings()
  const query = useQuery(reportQuery(schema))
  return (
    <Await query={query} lines={8}>
      {({ tables }) =>
        tables.length === 0 ? (
          <Empty icon="table" title={admin.emptySchema} text={admin.emptySchemaText} />
        ) : (
          <>
            <Grants tables={tables} />
            <ul className="rows">
              {tables.map((table) => (
                <li key={table.name}>
                  <div>
                    <h3>
                      {table.name}{' '}
                      <span className={table.level === 'full' ? 'badge' : 'badge is-warning'}>{admin.levels[table.level]}</span>{' '}
                      <span className="facts">{admin.relationKinds[table.kind] ?? table.kind}</span>
                    </h3>
                    {table.reasons.map((reason) => (
                      <p key={reason} className="facts">
                        {reason}
                      </p>
                    ))}
                  </div>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Await>
  )
}

/** The statements that the reasons end with, for the owner of the tables, each once. */
function Grants({ tables }: { tables: Report }) {
  const { admin } = useStrings()
  const found = tables.flatMap(({ reasons }) => reasons.flatMap((reason) => /\bGRANT .*;$/.exec(reason)?.[0] ?? []))
  return found.length ? <CodeBlock label={admin.grants} code={[...new Set(found)].join('\n')} /> : null
}
