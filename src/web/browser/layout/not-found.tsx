import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { TableView } from '../../../tables/model'
import { tablesQuery } from '../api/queries'
import { Await, ErrorState } from '../components/query-state'
import { useStrings } from '../language'
import { tableByName } from '../records/values/column'
import { GuestPage } from './guest'
import { Page } from './page'

/** Inside the shell, for an item that does not exist. */
export function NotFound() {
  const { shell } = useStrings()
  return (
    <Page title={shell.notFound}>
      <p className="soft">{shell.notFoundText}</p>
      <p>
        <Button component={Link} to="/" variant="default">
          {shell.toHome}
        </Button>
      </p>
    </Page>
  )
}

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

/** Outside the shell, for a URL without a page. */
export function GuestNotFound() {
  const { shell } = useStrings()
  return (
    <GuestPage title={shell.notFound} introduction={shell.notFoundText}>
      <Button component={Link} to="/" variant="default">
        {shell.toHome}
      </Button>
    </GuestPage>
  )
}

/** A page that could not be rendered, for example because its code could not be loaded. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = async () => {
    reset()
    await router.invalidate()
  }
  return <ErrorState error={error} retry={retry} />
}
