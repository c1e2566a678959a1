import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { ApiError } from '../../api/api-error'
import { queryClient } from '../../api/queries'
import { Icon, type IconName } from '../../components/icon'
import { Await } from '../../components/query-state'
import { RecordHistory } from '../../fields/history/record-history'
import { useStrings } from '../../language'
import { LeaveDialog } from '../../layout/leave-guard'
import { recordTitle } from '../../records/values/linked-records'
import type { TableRecord } from '../../records/values/record-key'
import { recordQuery, type SavedChange, type WriteResult } from '../../records/values/record-queries'
import { isOwnEvent, RecordForm, type UnsavedEdits } from './form/record-form'
import { RecordMenu } from './record-actions'

type RecordPanelProps = {
  table: TableView
  /** The key of the record as a path segment; null for none. */
  segment: string | null
  /** The records before and after it in the list, if they are loaded. */
  previous: string | null
  next: string | null
  /** The list's version of the record: when it changes, the panel fetches the record again. */
  listed: unknown
  open: (segment: string | null) => void
  /** Receives each version that the panel has fetched, also those of other users. */
  onFetched: (segment: string, record: TableRecord) => void
  /** Called when the page of the record is opened. */
  onLeave: () => void
  deleteRecord: (segment: string) => Promise<unknown>
  onDeleted: (segment: string) => void
  /** Receives a saved record and its former key. */
  onStored: (segment: string, stored: WriteResult, changes: SavedChange[]) => void
}

/** The form of a record beside the list. With unsaved changes, it asks before it closes or shows another record. */
export function RecordPanel({ segment, open, ...props }: RecordPanelProps) {
  const [shown, setShown] = useState(segment)
  const [isAsking, setAsking] = useState(false)
  const edits = useRef<UnsavedEdits>({ isDirty: false, save: async () => {} }).current
  useEffect(() => {
    if (segment === shown) setAsking(false)
    else if (edits.isDirty) setAsking(true)
    else setShown(segment)
  }, [segment, shown, edits])
  const leave = () => {
    edits.isDirty = false
    setAsking(false)
    setShown(segment)
  }
  const stay = () => open(shown)
  if (shown === null) return null
  return (
    <>
      <OpenRecord key={shown} segment={shown} edits={edits} open={open} {...props} />
      <LeaveDialog isOpen={isAsking} leave={leave} stay={stay} save={() => edits.save().then(() => (edits.isDirty ? stay() : leave()))} />
    </>
  )
}

type OpenRecordProps = Omit<RecordPanelProps, 'segment'> & { segment: string; edits: UnsavedEdits }

function OpenRecord(props: OpenRecordProps) {
  const { table, segment, previous, next, listed, open, onFetched, onLeave, deleteRecord, onDeleted, onStored, edits } = props
  const { record: words, shell, tables } = useStrings()
  const query = useQuery(recordQuery(table, segment))
  const heading = useRef<HTMLHeadingElement>(null)
  const known = useRef(listed)
  useEffect(() => {
    if (known.current !== listed && listed) void queryClient.invalidateQueries(recordQuery(table, segment))
    known.current = listed
  }, [table, segment, listed])
  const fetched = useRef(query.data)
  useEffect(() => {
    if (query.data && fetched.current !== query.data) onFetched(segment, query.data.record)
    fetched.current = query.data
  }, [segment, query.data, onFetched])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const isGone = !query.data && query.error instanceof ApiError && query.error.status === 404
  const title = query.data && (recordTitle(table, query.data.record, tables) || words.untitled(table.name))
  const close = () => {
    open(null)
    document.querySelector<HTMLElement>('[role="grid"] [tabindex="0"]')?.focus({ preventScroll: true })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Escape first closes an open list.
    const isExpanded = (event.target as Element).getAttribute('aria-expanded') === 'true'
    if (event.key === 'Escape' && !event.defaultPrevented && isOwnEvent(event) && !isExpanded) close()
  }
  return (
    <aside className="record-panel" aria-label={words.panel} onKeyDown={onKeyDown}>
      <div className="record-panel-head">
        <h2 ref={heading} tabIndex={-1}>
          {title ?? (isGone ? words.notFound : table.name)}
        </h2>
        <PanelButton icon="left" label={words.previous} isOff={previous === null} act={() => open(previous)} />
        <PanelButton icon="right" label={words.next} isOff={next === null} act={() => open(next)} />
        <ActionIcon
          variant="default"
          aria-label={words.openPage}
          title={words.openPage}
          renderRoot={(attributes) => (
            <Link
              {...attributes}
              to="/tables/$tableId/records/$pk"
              params={{ tableId: table.id, pk: segment }}
              search
              hash=""
              onClick={onLeave}
            />
          )}
        >
          <Icon name="expand" size={16} />
        </ActionIcon>
        {query.data ? (
          <RecordMenu
            table={table}
            segment={segment}
            stored={query.data}
            remove={async () => {
              await deleteRecord(segment)
              edits.isDirty = false
              onDeleted(segment)
            }}
          />
        ) : null}
        <PanelButton icon="close" label={shell.close} act={close} />
      </div>
      {isGone ? (
        <p className="soft">{words.noSuchKey}</p>
      ) : (
        <Await query={query} lines={10}>
          {(stored) => (
            <>
              <RecordForm
                table={table}
                segment={segment}
                stored={stored}
                beside={{
                  edits,
                  onStored: (stored, changes) => onStored(segment, stored, changes),
                  onFilesChanged: (record) => onFetched(segment, record),
                }}
              />
              <RecordHistory
                table={table}
                segment={segment}
                stored={stored}
                onRestored={(restored, changes) =>
                  onStored(
                    segment,
                    restored,
                    changes.map(({ name, before, after }) => ({ column: name, before, after })),
                  )
                }
              />
            </>
          )}
        </Await>
      )}
    </aside>
  )
}

type PanelButtonProps = { icon: IconName; label: string; isOff?: boolean; act: () => void }

const PanelButton = ({ icon, label, isOff = false, act }: PanelButtonProps) => (
  <ActionIcon variant="default" aria-label={label} title={label} aria-disabled={isOff} onClick={() => (isOff ? undefined : act())}>
    <Icon name={icon} size={16} />
  </ActionIcon>
)
