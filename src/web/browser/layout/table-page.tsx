import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { TableView } from '../../../tables/model'
import { tablesQuery } from '../api/queries'
import { Await } from '../components/query-state'
import { useStrings } from '../language'
import { tableByName } from '../records/values/column'
import { NotFound } from './not-found'
import { Page } from './page'

/** A page about the table of its URL. @param tableId the id or the name */
export function TablePage({ tableId, children }: { tableId: string; children: (table: TableView) => ReactNode }) {
  const { shell } = useStrings()
  const query = useQuery(tablesQuery)
  const table = query.data && tableByName(query.data, tableId)
  if (table) return children(table)
  if (query.data) return <NotFound />
  return (
    <Page title={shell.tables} isNarrow>
      <Await query={query} lines={10}>
        {() => null}
      </Await>
    </Page>
  )
}
