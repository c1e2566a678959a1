import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { TableView } from '../../../../tables/model'
import { ApiError } from '../../api/api-error'
import { BackToTable } from '../../components/back-to-table'
import { Await, EmptyState } from '../../components/query-state'
import { RecordHistory } from '../../fields/history/record-history'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import { TablePage } from '../../layout/table-page'
import { recordTitle } from '../../records/values/linked-records'
import { recordQuery } from '../../records/values/record-queries'
import { useViewedRights } from '../../records/values/table-rights'
import { RecordForm } from './form/record-form'
import { RecordActions } from './record-actions'

/** One record, by its key in the URL. */
export function RecordPage() {
  const { tableId, pk } = useParams({ from: '/app/tables/$tableId/records/$pk' })
  return <TablePage tableId={tableId}>{(table) => <LoadedRecord key={`${table.id} ${pk}`} table={table} segment={pk} />}</TablePage>
}

function LoadedRecord({ table, segment }: { table: TableView; segment: string }) {
  const { record: words, tables } = useStrings()
  const viewed = useViewedRights(table)
  const query = useQuery(recordQuery(table, segment))
  const isGone = !query.data && query.error instanceof ApiError && query.error.status === 404
  const title = query.data && (recordTitle(table, query.data.record, tables) || words.untitled(table.name))
  return (
    <Page
      title={title ?? (isGone ? words.notFound : table.name)}
      isNarrow
      above={
        <BackToTable
          table={table}
          note={table.readOnly ? words.readOnlyTable : table.can.update ? '' : (viewed?.text ?? words.readOnlyRole)}
        />
      }
      actions={query.data ? <RecordActions table={table} segment={segment} stored={query.data} /> : null}
    >
      {isGone ? (
        <EmptyState icon="search" title={words.noSuchKey} text={words.notFoundText}>
          <Button component={Link} to={`/tables/${table.id}`} variant="default">
            {words.backTo(table.name)}
          </Button>
        </EmptyState>
      ) : (
        <Await query={query} lines={10}>
          {(stored) => (
            <>
              <RecordForm table={table} segment={segment} stored={stored} />
              <RecordHistory table={table} segment={segment} stored={stored} />
            </>
          )}
        </Await>
      )}
    </Page>
  )
}
