import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { TableView } from '../../../../tables/model'
import { Await } from '../../components/state'
import { useStrings } from '../../language'
import { NotFound } from '../../layout/not-found'
import { Page } from '../../layout/page'
import { Refusal } from '../../refusal'
import { TableTools } from '../table-tools/table-tools'
import { ColumnList } from './column-list'
import { RecordTable } from './record-table'
import { tableQuery } from './records-query'

/** One table: its first records, and its columns. */
export function TablePage() {
  const { shell } = useStrings()
  const { tableId } = useParams({ from: '/app/tables/$tableId' })
  const query = useQuery(tableQuery(tableId))
  if (query.error instanceof Refusal && query.error.status === 404) return <NotFound />
  if (query.data) return <LoadedTable key={query.data.id} table={query.data} />
  return (
    <Page title={shell.tables}>
      <Await query={query} lines={10}>
        {() => null}
      </Await>
    </Page>
  )
}

function LoadedTable({ table }: { table: TableView }) {
  const { home } = useStrings()
  return (
    <Page
      title={table.name}
      actions={
        <>
          {table.readOnly ? <span className="badge is-warning">{home.readOnly}</span> : null}
          <TableTools table={table} />
        </>
      }
    >
      <RecordTable table={table} />
      <ColumnList table={table} />
    </Page>
  )
}
