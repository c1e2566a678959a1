import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, type SyntheticEvent, useRef } from 'react'
import type { FileView } from '../../../../../attachments/model'
import type { TableView } from '../../../../../tables/model'
import { queryClient } from '../../../api/queries'
import { attachmentsUrl } from '../../../api/urls'
import { useUser } from '../../../api/use-user'
import { useSave } from '../../../components/form/use-save'
import { toDraft } from '../../../fields/field-draft'
import { toFieldErrors } from '../../../fields/field-errors'
import { FieldValue } from '../../../fields/field-value'
import { Fields, LabeledValue } from '../../../fields/fields'
import { useStrings } from '../../../language'
import { LeaveGuard } from '../../../layout/leave-guard'
import { type ColumnInfo, isGeneratedKey, isGeneratedType } from '../../../records/values/column'
import { isUnseen, keySegment, type TableRecord } from '../../../records/values/record-key'
import {
  type FetchedRecord,
  invalidateRecords,
  recordQuery,
  type SavedChange,
  type WriteResult,
} from '../../../records/values/record-queries'
import { decimalMark } from '../../../values/decimal'
import { FilesField } from '../files/files-field'
import { FieldConflictDialog } from './conflict-dialog'
import { ErrorSummary } from './error-summary'
import { NewLinked } from './new-linked'
import { SaveBar } from './save-bar'
import { type SavedRecord, useRecordEdits } from './use-record-edits'

/** React events of dialogs bubble here, although they are rendered elsewhere. */
export const isOwnEvent = ({ currentTarget, target }: SyntheticEvent): boolean => currentTarget.contains(target as Node)

/** Saves on Ctrl+S. */
export const saveOnShortcut = (event: KeyboardEvent<HTMLFormElement>) => {
  if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || !isOwnEvent(event)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

/** A form's unsaved edits, for the components around it. */
export type UnsavedEdits = { isDirty: boolean; save: () => Promise<void> }

type RecordFormProps = {
  table: TableView
  segment: string
  stored: FetchedRecord
  /**
   * For a form beside a list: receives the unsaved edits, and the record after it was saved or its files have changed.
   */
  beside?: {
    edits: UnsavedEdits
    onStored: (stored: WriteResult, changes: SavedChange[]) => void
    onFilesChanged: (record: TableRecord) => void
  }
}

/** The form of an existing record. */
export function RecordForm({ table, segment, stored, beside }: RecordFormProps) {
  const { grid, record: words } = useStrings()
  const navigate = useNavigate()
  const isEditor = table.can.update
  const isGeneratedField = useGeneratedFields(table)
  const { base, edits, change, conflicts, settle, save, discard, postpone } = useRecordEdits(table, segment, stored)
  const count = Object.keys(edits).length
  const own = useRef<UnsavedEdits>({ isDirty: false, save: async () => {} })
  const unsaved = beside?.edits ?? own.current
  unsaved.isDirty = count > 0

  /** A changed key changes the URL. */
  async function follow(result: SavedRecord | null) {
    if (!result) return
    const { stored: saved, changes, isDirty } = result
    unsaved.isDirty = isDirty
    if (beside) return beside.onStored(saved, changes)
    if (isUnseen(saved.record)) {
      void invalidateRecords(table)
      return navigate({ to: '/tables/$tableId', params: { tableId: table.id }, search: true })
    }
    const now = keySegment(table, saved.record)
    if (now !== keySegment(table, base.record)) {
      await navigate({ to: '/tables/$tableId/records/$pk', params: { tableId: table.id, pk: now }, search: true, replace: true })
    }
  }
  const saving = useSave(async () => {
    await follow(await save())
  })
  unsaved.save = saving.save
  const settling = useSave(async () => follow(await settle(theirs.current)))
  const theirs = useRef<ReadonlySet<string>>(new Set())
  const failure = saving.failure ?? settling.failure
  const problems = toFieldErrors(table, failure, grid)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isOwnEvent(event) && count > 0 && !settling.isBusy) void saving.save()
  }
  /** Also called after the form is closed, since uploads continue. */
  const reload = async () => {
    await queryClient.invalidateQueries({ ...recordQuery(table, segment), refetchType: 'all' })
    const now = queryClient.getQueryData(recordQuery(table, segment).queryKey)
    if (now) beside?.onFilesChanged(now.record)
  }
  const columns = table.columns.filter((column) => !isGeneratedField(column))
  const firstFiles = columns.find(({ type }) => type === 'attachment')

  return (
    <form className="record-form" noValidate onSubmit={submit} onKeyDown={saveOnShortcut}>
      <ErrorSummary failure={failure} problems={problems} />
      <Fields
        columns={columns}
        draftOf={(column) => edits[column.name] ?? toDraft(column, base.record[column.name], decimalMark())}
        change={change}
        problems={problems}
        instead={(column) =>
          column.type === 'attachment' ? (
            <FilesField
              column={column}
              files={(stored.record[column.name] ?? []) as FileView[]}
              path={attachmentsUrl(table.id, segment, column.id)}
              isReadOnly={!isEditor || column.readOnly}
              // Beside a list, a paste goes into the list.
              takesPaste={!beside && column === firstFiles && !column.readOnly}
              reload={reload}
            />
          ) : isEditor && !column.readOnly ? null : (
            <LabeledValue column={column}>
              <FieldValue column={column} value={base.record[column.name]} />
            </LabeledValue>
          )
        }
        recordKey={decodeURIComponent(segment)}
        below={(column) => <NewLinked column={column} segment={segment} />}
      />
      <GeneratedFields columns={table.columns.filter(isGeneratedField)} stored={base} />
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
      <FieldConflictDialog
        conflicts={conflicts}
        close={postpone}
        settle={(chosen) => {
          theirs.current = chosen
          void settling.save()
        }}
      />
      <LeaveGuard isDirty={() => unsaved.isDirty} staysOnPage={beside !== undefined} saveChanges={() => unsaved.save()} />
    </form>
  )
}

/**
 * Returns whether the database or the service generates the value of a column. For an administrator, this includes any
 * read-only column of a writable table; for others, such a column may be protected by an access rule.
 */
function useGeneratedFields(table: TableView): (column: ColumnInfo) => boolean {
  const isAdmin = useUser().role === 'admin'
  return ({ name, type, readOnly }) => (!table.readOnly && (isGeneratedType(type) || (readOnly && isAdmin))) || isGeneratedKey(table, name)
}

/** The values that the service generates. */
function GeneratedFields({ columns, stored }: { columns: readonly ColumnInfo[]; stored: FetchedRecord }) {
  const { record: words } = useStrings()
  if (columns.length === 0) return null
  return (
    <section className="filled-in" aria-label={words.setByService}>
      {columns.map((column) => (
        <LabeledValue key={column.id} column={column}>
          <FieldValue column={column} value={stored.record[column.name]} />
        </LabeledValue>
      ))}
    </section>
  )
}
