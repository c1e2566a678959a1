import { Button, TextInput } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api/client'
import { tablesQuery } from '../../api/queries'
import { CodeBlock } from '../../components/code/code-block'
import { Panel } from '../../components/panel'
import { Await, EmptyState } from '../../components/query-state'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'

const reportQuery = (schema: string) =>
  queryOptions({
    queryKey: ['schemas', schema],
    staleTime: 0,
    queryFn: () => unwrap(api.schemas({ schema: encodeURIComponent(schema) }).report.get()),
  })

type Report = { name: string; kind: string; level: 'full' | 'readOnly' | 'refused'; reasons: string[] }[]

/** The report of a database schema: which tables can be served, and why others cannot. */
export function SchemasPage() {
  const { admin } = useStrings()
  useDocumentTitle(admin.schemas)
  const { data: tables = [] } = useQuery(tablesQuery)
  const served = [...new Set(tables.map(({ schema }) => schema))].filter((schema) => schema !== 'data')
  const [requested, setAsked] = useState<string>()
  const schema = requested ?? served[0] ?? 'public'
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
      <SchemaReport key={schema} schema={schema} />
    </Panel>
  )
}

function SchemaReport({ schema }: { schema: string }) {
  const { admin } = useStrings()
  const query = useQuery(reportQuery(schema))
  return (
    <Await query={query} lines={8}>
      {({ tables }) =>
        tables.length === 0 ? (
          <EmptyState icon="table" title={admin.emptySchema} text={admin.emptySchemaText} />
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

/** The distinct GRANT statements of the reasons. */
function Grants({ tables }: { tables: Report }) {
  const { admin } = useStrings()
  const found = tables.flatMap(({ reasons }) => reasons.flatMap((reason) => /\bGRANT .*;$/.exec(reason)?.[0] ?? []))
  return found.length ? <CodeBlock label={admin.grants} code={[...new Set(found)].join('\n')} /> : null
}
