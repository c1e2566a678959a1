import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { TrashPage } from '../../../../changes/model'
import type { TableView } from '../../../../tables/model'
import { toErrorMessage } from '../../api/api-error'
import { BackToTable } from '../../components/back-to-table'
import { useSave } from '../../components/form/use-save'
import { Await, EmptyState } from '../../components/query-state'
import { AuthorName, Moment } from '../../fields/history/author'
import { isEmpty, OneValue } from '../../fields/history/changed-values'
import { LoadMore } from '../../fields/history/load-more'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import { TablePage } from '../../layout/table-page'
import { loggedQuery, restoreFromTrash, trashQuery } from '../../records/list/change-queries'
import { titleColumn, withKeyLast } from '../../records/values/column'
import { isUnseen, keySegment } from '../../records/values/record-key'
import { invalidateRecords } from '../../records/values/record-queries'
import { toText } from '../../values/exact-json'
import { ListNotice } from './notice'

type DeletedRecord = TrashPage['records'][number]

/** A restored record. `segment` is null if the user may not see the record. */
type RestoredRecord = { name: string; segment: string | null }

/** The number of values shown for a deleted record. */
const maxValuesShown = 4

/** The deleted records of a table. Each can be restored. */
export function TableTrashPage() {
  const { tableId } = useParams({ from: '/app/tables/$tableId/trash' })
  return <TablePage tableId={tableId}>{(table) => <TrashOfTable key={table.id} table={table} />}</TablePage>
}

function TrashOfTable({ table }: { table: TableView }) {
  const { history } = useStrings()
  const query = useInfiniteQuery(trashQuery(table))
  const { data: isLogged } = useQuery(loggedQuery(table))
  const [restored, setRestored] = useState<RestoredRecord | null>(null)
  const notLogged = isLogged === false ? history.notLogged : ''
  return (
    <Page title={history.trashOf(table.name)} isNarrow above={<BackToTable table={table} note={notLogged} />}>
      <ListNotice text={restored ? history.restored(restored.name) : ''}>
        {restored?.segment ? (
          <Link to="/tables/$tableId/records/$pk" params={{ tableId: table.id, pk: restored.segment }}>
            {history.openRestored}
          </Link>
        ) : null}
      </ListNotice>
      <Await query={query} lines={8}>
        {({ pages }) => {
          const records = pages.flatMap((page) => page.records)
          if (records.length === 0) return <EmptyState icon="trash" title={history.trashEmpty} text={notLogged || history.trashEmptyText} />
          return (
            <ul className="rows">
              {records.map((deleted) => (
                <DeletedRow key={deleted.id} table={table} deleted={deleted} onRestored={setRestored} />
              ))}
            </ul>
          )
        }}
      </Await>
      <LoadMore query={query} />
    </Page>
  )
}

type DeletedRowProps = { table: TableView; deleted: DeletedRecord; onRestored: (restored: RestoredRecord) => void }

function DeletedRow({ table, deleted, onRestored }: DeletedRowProps) {
  const strings = useStrings()
  const { history } = strings
  const { record, at, by, id, pk } = deleted
  const title = titleColumn(table)
  const name = toText(record[title]).split('\n')[0] || decodeURIComponent(pk)
  const { failure, isBusy, save } = useSave(async () => {
    const restored = await restoreFromTrash(table, id)
    onRestored({ name, segment: isUnseen(restored.record) ? null : keySegment(table, restored.record) })
    await invalidateRecords(table)
  })
  const shown = withKeyLast(table)
    .filter((column) => column.name !== title && !isEmpty(record[column.name]))
    .slice(0, maxValuesShown)
  return (
    <li>
      <div className="history-entry">
        <h2>{name}</h2>
        <p className="facts">
          {history.actions.delete} · <AuthorName by={by} /> · <Moment at={at} />
        </p>
        <dl className="changed">
          {shown.map((column) => (
            <div key={column.id}>
              <dt>{column.name}</dt>
              <dd>
                <OneValue column={column} value={record[column.name]} />
              </dd>
            </div>
          ))}
        </dl>
        <p role="alert" className="alert">
          {failure ? toErrorMessage(failure, strings) : ''}
        </p>
      </div>
      {table.can.create ? (
        <Button variant="default" size="xs" aria-busy={isBusy} aria-label={history.restoreNamed(name)} onClick={() => void save()}>
          {history.restore}
        </Button>
      ) : null}
    </li>
  )
}
