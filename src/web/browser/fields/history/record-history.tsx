import { Button, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { Change, ChangedValue } from '../../../../changes/model'
import type { TableView } from '../../../../tables/model'
import { useUser } from '../../api/use-user'
import { Icon } from '../../components/icon'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { historyQuery, loggedQuery } from '../../records/list/change-queries'
import type { FetchedRecord, WriteResult } from '../../records/values/record-queries'
import { formatTimestamp } from '../../values/format'
import { AuthorName, Moment } from './author'
import { ChangedValues, type ValueChange } from './changed-values'
import { LoadMore } from './load-more'
import { RestoreDialog } from './restore-dialog'

type RecordHistoryProps = {
  table: TableView
  segment: string
  /** The displayed version of the record. */
  stored: FetchedRecord
  onRestored?: (restored: WriteResult, changes: readonly ValueChange[]) => void
}

/** Whether the history of the previous record was open: the next record starts in the same state. */
let isOpenAtFirst = false

/** The changes of a record, loaded on demand. */
export function RecordHistory(props: RecordHistoryProps) {
  const { history } = useStrings()
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const toggle = () => {
    isOpenAtFirst = !isOpen
    setOpen(!isOpen)
  }
  return (
    <section className="record-history" aria-label={history.title}>
      <h2>
        <UnstyledButton className="history-toggle" aria-expanded={isOpen} onClick={toggle}>
          <Icon name="clock" size={16} />
          {history.title}
          <Icon name={isOpen ? 'up' : 'chevron'} size={16} />
        </UnstyledButton>
      </h2>
      {isOpen ? <LoadedHistory {...props} /> : null}
    </section>
  )
}

function LoadedHistory({ table, segment, stored, onRestored }: RecordHistoryProps) {
  const { history } = useStrings()
  const query = useInfiniteQuery(historyQuery(table, segment))
  const { refetch } = query
  // The history grows when the record changes.
  const known = useRef(stored.etag)
  useEffect(() => {
    if (known.current !== stored.etag) void refetch()
    known.current = stored.etag
  }, [stored.etag, refetch])
  return (
    <>
      <NotLogged table={table} />
      <Await query={query}>
        {({ pages }) => {
          const changes = pages.flatMap((page) => page.changes)
          if (changes.length === 0) return <p className="soft">{history.noChanges}</p>
          return (
            <ul className="rows">
              {changes.map((change, index) => (
                <RecordChange
                  key={change.id}
                  change={change}
                  isOlder={index > 0}
                  table={table}
                  segment={segment}
                  stored={stored}
                  onRestored={onRestored}
                />
              ))}
            </ul>
          )
        }}
      </Await>
      <LoadMore query={query} />
    </>
  )
}

/** Says that the changes of the table are not logged, and who can turn the log on. */
function NotLogged({ table }: { table: TableView }) {
  const { history } = useStrings()
  const { data: isLogged } = useQuery(loggedQuery(table))
  const isAdmin = useUser().role === 'admin'
  if (isLogged !== false) return null
  return (
    <p className="soft">
      {history.notLogged}{' '}
      {isAdmin ? (
        <Link to="/tables/$tableId/history" params={{ tableId: table.id }}>
          {history.turnOn}
        </Link>
      ) : (
        history.askForLog
      )}
    </p>
  )
}

function RecordChange({ change, isOlder, table, segment, stored, onRestored }: RecordHistoryProps & { change: Change; isOlder: boolean }) {
  const { history } = useStrings()
  const [isAsking, setAsking] = useState(false)
  const { action, at, by, id, oldPk, pk } = change
  // After a deletion there are no values to restore.
  const canRestore = isOlder && action !== 'delete' && table.can.update
  return (
    <li>
      <div className="history-entry">
        <h3>
          {history.actions[action]} · <AuthorName by={by} />
        </h3>
        <p className="facts">
          <Moment at={at} />
        </p>
        {oldPk === null ? null : <p>{history.keyChanged(decodeURIComponent(oldPk), decodeURIComponent(pk))}</p>}
        {action === 'delete' ? null : (
          <ChangedValues
            changes={change.changes.map((value) => toValueChange(table, value)).filter(isTold)}
            isCreation={action === 'create'}
          />
        )}
      </div>
      {canRestore ? (
        <>
          <Button variant="default" size="xs" aria-label={history.restoreOf(formatTimestamp(at))} onClick={() => setAsking(true)}>
            {history.restore}
          </Button>
          <RestoreDialog
            table={table}
            segment={segment}
            changeId={id}
            at={at}
            etag={stored.etag}
            record={stored.record}
            isOpen={isAsking}
            close={() => setAsking(false)}
            onRestored={onRestored}
          />
        </>
      ) : null}
    </li>
  )
}

/** Types of columns that repeat what the entry itself says: who changed the record last, and when. */
const repeatingTypes = ['updatedAt', 'updatedBy']

const isTold = ({ column }: ValueChange): boolean => !repeatingTypes.includes(column?.type ?? '')

const toValueChange = ({ columns }: TableView, { columnId, name, old, new: after }: ChangedValue): ValueChange => ({
  name,
  column: columns.find(({ id }) => id === columnId) ?? null,
  before: old,
  after,
})
