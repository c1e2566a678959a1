import { Button, Checkbox } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { RequestPage } from '../../../../changes/model'
import type { TableView } from '../../../../tables/model'
import { toErrorMessage } from '../../api/api-error'
import { useUser } from '../../api/use-user'
import { BackToTable } from '../../components/back-to-table'
import { useSave } from '../../components/form/use-save'
import { Await, EmptyState } from '../../components/query-state'
import { AuthorName, Moment } from '../../fields/history/author'
import { LoadMore } from '../../fields/history/load-more'
import { UndoDialog, undoneText } from '../../fields/history/undo-dialog'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import { TablePage } from '../../layout/table-page'
import { requestsQuery, setLogged, type UndoResult } from '../../records/list/change-queries'
import { canWriteAny } from '../../records/values/column'
import { formatTimestamp } from '../../values/format'
import { ListNotice } from './notice'

/** The latest requests that changed records of a table. Each can be undone. */
export function RecentChangesPage() {
  const { tableId } = useParams({ from: '/app/tables/$tableId/history' })
  return <TablePage tableId={tableId}>{(table) => <RecentChanges key={table.id} table={table} />}</TablePage>
}

function RecentChanges({ table }: { table: TableView }) {
  const { history } = useStrings()
  const query = useInfiniteQuery(requestsQuery(table))
  const [undone, setUndone] = useState<UndoResult | null>(null)
  return (
    <Page title={history.recentOf(table.name)} isNarrow above={<BackToTable table={table} note="" />}>
      <UndoNotice undone={undone} onUndone={setUndone} />
      <Await query={query} lines={8}>
        {({ pages }) => {
          const requests = pages.flatMap((page) => page.requests)
          const isLogged = pages[0]!.logged
          return (
            <>
              <LogSwitch table={table} isLogged={isLogged} />
              {requests.length === 0 ? (
                <EmptyState icon="clock" title={history.noRequests} text={isLogged ? history.noRequestsText : history.notLogged} />
              ) : (
                <ul className="rows">
                  {requests.map((request) => (
                    <RequestRow
                      key={`${request.requestId} ${request.at}`}
                      request={request}
                      canUndo={canWriteAny(table)}
                      onUndone={setUndone}
                    />
                  ))}
                </ul>
              )}
            </>
          )
        }}
      </Await>
      <LoadMore query={query} />
    </Page>
  )
}

/** A switch for administrators; for others, a note if nothing is logged. */
function LogSwitch({ table, isLogged }: { table: TableView; isLogged: boolean }) {
  const strings = useStrings()
  const { history } = strings
  const isAdmin = useUser().role === 'admin'
  const [isOffForAll, setOffForAll] = useState(false)
  const { failure, isBusy, save } = useSave(async () => {
    const isLoggedNow = await setLogged(table, !isLogged)
    setOffForAll(!isLogged && !isLoggedNow)
  })
  if (!isAdmin) return isLogged ? null : <p className="soft">{`${history.notLogged} ${history.askForLog}`}</p>
  return (
    <div className="stack">
      <Checkbox
        label={history.logged}
        description={history.loggedHelp}
        checked={isLogged}
        aria-busy={isBusy}
        onChange={() => void save()}
      />
      <p role="alert" className="alert">
        {failure ? toErrorMessage(failure, strings) : isOffForAll ? history.offForAll : ''}
      </p>
    </div>
  )
}

/** The effect of the last undo, with a button to undo it in turn. */
function UndoNotice({ undone, onUndone }: { undone: UndoResult | null; onUndone: (result: UndoResult) => void }) {
  const { history } = useStrings()
  const [isAsking, setAsking] = useState(false)
  const ownId = undone?.ownId ?? null
  return (
    <ListNotice text={undone ? undoneText(undone, history) : ''}>
      {ownId ? (
        <>
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            {history.redo}
          </Button>
          <UndoDialog requestId={ownId} isOpen={isAsking} close={() => setAsking(false)} onUndone={onUndone} />
        </>
      ) : null}
    </ListNotice>
  )
}

type RequestRowProps = { request: RequestPage['requests'][number]; canUndo: boolean; onUndone: (result: UndoResult) => void }

function RequestRow({ request, canUndo, onUndone }: RequestRowProps) {
  const { history } = useStrings()
  const [isAsking, setAsking] = useState(false)
  const { requestId, at, by } = request
  const counts = (['created', 'updated', 'deleted'] as const).flatMap((kind) =>
    request[kind] > 0 ? [history.counts[kind](request[kind])] : [],
  )
  return (
    <li>
      <div>
        <h2>{counts.join(', ')}</h2>
        <p className="facts">
          <AuthorName by={by} /> · <Moment at={at} />
          {requestId === null ? ` · ${history.fromOutside}` : ''}
        </p>
      </div>
      {requestId !== null && canUndo ? (
        <>
          <Button variant="default" size="xs" aria-label={history.undoOf(formatTimestamp(at))} onClick={() => setAsking(true)}>
            {history.undoAction}
          </Button>
          <UndoDialog requestId={requestId} isOpen={isAsking} close={() => setAsking(false)} onUndone={onUndone} />
        </>
      ) : null}
    </li>
  )
}
