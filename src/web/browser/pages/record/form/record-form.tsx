import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, type SyntheticEvent, useRef } from 'react'
import type { FileView } from '../../../../../attachments/model'
import type { TableView } from '../../../../../tables/model'
import { queryClient } from '../../../api/queries'
import { recordAddress } from '../../../api/urls'
import { useStrings } from '../../../language'
import { LeaveGuard } from '../../../layout/leave-guard'
import { useUser } from '../../../session/use-user'
import { type Column, isFilledIn, isMadeKey } from '../data/column'
import { keySegment } from '../data/record-key'
import { recordQuery, type Stored } from '../data/record-queries'
import { draftOf } from '../fields/field-draft'
import { problemsOf, refuseIncomplete } from '../fields/field-errors'
import { Value } from '../fields/field-value'
import { canWrite, Fields, Shown } from '../fields/fields'
import { FilesField } from '../files/files-field'
import { ConflictDialog } from './conflict-dialog'
import { Summary } from './error-summary'
import { SaveBar } from './save-bar'
import { useRecordEdits } from './use-record-edits'
import { useSave } from './use-save'

/** Dialogs of the form stand elsewhere on the page, and their events come by here all the same. */
export const isWithin = ({ currentTarget, target }: SyntheticEvent): boolean => currentTarget.contains(target as Node)

/** Saves by the keys that everybody tries. */
export const saveByKey = (event: KeyboardEvent<HTMLFormElement>) => {
  if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || !isWithin(event)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

/** The fields of a record that is there, to read and to change. */
export function RecordForm({ table, segment, stored }: { table: TableView; segment: string; stored: Stored }) {
  const { record: words } = useStrings()
  const navigate = useNavigate()
  const isEditor = canWrite(table, useUser().role)
  const form = useRef<HTMLFormElement>(null)
  const { base, edits, change, conflicts, settle, save, discard, postpone } = useRecordEdits(table, segment, stored)
  const count = Object.keys(edits).length
  const isDirty = useRef(false)
  isDirty.current = count > 0

  /** A key that was changed is another address. */
  async function follow(saved: Stored | null) {
    if (!saved) return
    isDirty.current = false
    const now = keySegment(table, saved.record)
    if (now !== keySegment(table, base.record)) {
      await navigate({ to: '/tables/$tableId/records/$pk', params: { tableId: table.id, pk: now }, search: true, replace: true })
    }
  }
  const saving = useSave(async () => {
    refuseIncomplete(form.current!, words.incomplete)
    await follow(await save())
  })
  const settling = useSave(async () => follow(await settle(theirs.current)))
  const theirs = useRef<ReadonlySet<string>>(new Set())
  const failure = saving.failure ?? settling.failure
  const problems = problemsOf(table, failure, { noJson: words.invalidJson(0) })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isWithin(event) && count > 0 && !settling.isBusy) void saving.save()
  }
  const reload = () => queryClient.invalidateQueries(recordQuery(table, segment))
  const columns = table.columns.filter((column) => !isGiven(table, column))
  const firstFiles = columns.find(({ type }) => type === 'attachment')

  return (
    <form ref={form} className="record-form" noValidate onSubmit={submit} onKeyDown={saveByKey}>
      <Summary failure={failure} problems={problems} />
      <Fields
        columns={columns}
        draftOf={(column) => edits[column.name] ?? draftOf(column, base.record[column.name])}
        change={change}
        problems={problems}
        instead={(column) =>
          column.type === 'attachment' ? (
            <FilesField
              column={column}
              files={(stored.record[column.name] ?? []) as FileView[]}
              path={`${recordAddress(table.id, segment)}/attachments/${column.id}`}
              isReadOnly={!isEditor}
              takesPaste={column === firstFiles}
              reload={reload}
            />
          ) : isEditor ? null : (
            <Shown column={column}>
              <Value column={column} value={base.record[column.name]} />
            </Shown>
          )
        }
      />
      <FilledIn table={table} stored={base} />
      {isEditor ? (
        <SaveBar action={words.save} isBusy={saving.isBusy || settling.isBusy} isIdle={count === 0} state={words.changes(count)}>
          <Button
            variant="subtle"
            color="gray"
            aria-disabled={count === 0}
            onClick={() => {
              discard()
              saving.forget()
              settling.forget()
            }}
          >
            {words.discard}
          </Button>
        </SaveBar>
      ) : null}
      <ConflictDialog
        conflicts={conflicts}
        close={postpone}
        settle={(chosen) => {
          theirs.current = chosen
          void settling.save()
        }}
      />
      <LeaveGuard isDirty={() => isDirty.current} />
    </form>
  )
}

/** Of a table that can only be read, that says nothing of a single column. */
const isGiven = (table: TableView, column: Column) => (isFilledIn(column) && !table.readOnly) || isMadeKey(table, column.name)

/** What the service knows by itself. */
function FilledIn({ table, stored }: { table: TableView; stored: Stored }) {
  const { record: words } = useStrings()
  const columns = table.columns.filter((column) => isGiven(table, column))
  if (columns.length === 0) return null
  return (
    <section className="filled-in" aria-label={words.setByService}>
      {columns.map((column) => (
        <Shown key={column.id} column={column}>
          <Value column={column} value={stored.record[column.name]} />
        </Shown>
      ))}
    </section>
  )
}
