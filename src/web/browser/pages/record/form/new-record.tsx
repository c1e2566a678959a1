import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useParams, useRouter } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { queryClient, tablesQuery } from '../../../api/queries'
import { attachmentsUrl } from '../../../api/urls'
import { useUser } from '../../../api/use-user'
import { BackToTable } from '../../../components/back-to-table'
import { useSave } from '../../../components/form/use-save'
import { Await } from '../../../components/query-state'
import { type FieldDraft, isSameDraft, toDraft, toRequestBody } from '../../../fields/field-draft'
import { toFieldErrors } from '../../../fields/field-errors'
import { Fields } from '../../../fields/fields'
import { useStrings } from '../../../language'
import { LeaveGuard } from '../../../layout/leave-guard'
import { NotFound } from '../../../layout/not-found'
import { Page } from '../../../layout/page'
import { writeOnce } from '../../../records/mutations/batch'
import { uploadQueue } from '../../../records/mutations/upload-queue'
import { useAttemptKey } from '../../../records/pages/use-attempt-key'
import { type ColumnInfo, isGenerated, isGeneratedKey, tableByName } from '../../../records/values/column'
import { isUnseen, keySegment } from '../../../records/values/record-key'
import { createRecord, invalidateRecords, recordQuery } from '../../../records/values/record-queries'
import { decimalMark } from '../../../values/decimal'
import { PendingFilesField } from '../files/files-field'
import type { Edits } from './edit-conflicts'
import { ErrorSummary } from './error-summary'
import { isOwnEvent, saveOnShortcut } from './record-form'
import { SaveBar } from './save-bar'

/** The form of a new record. */
export function NewRecordPage() {
  const { record: words } = useStrings()
  const { tableId } = useParams({ from: '/app/tables/$tableId/records/new' })
  const tables = useQuery(tablesQuery)
  const table = tables.data && tableByName(tables.data, tableId)
  if (tables.data && !table) return <NotFound />
  return (
    <Page title={words.create} isNarrow above={table?.can.read ? <BackToTable table={table} note="" /> : null}>
      <Await query={tables} lines={10}>
        {() =>
          table!.can.create ? (
            <NewRecords key={table!.id} table={table!} />
          ) : (
            <p className="soft">{table!.readOnly ? words.readOnlyTable : words.cannotCreate}</p>
          )
        }
      </Await>
    </Page>
  )
}

/** Receives the number of files that could not be added because adding files requires the record's key. */
type OnUnseen = (files: number) => void

/** The form. Creating a record that the user may not see shows an empty form. */
function NewRecords({ table }: { table: TableView }) {
  const { record: words } = useStrings()
  const [{ count, files }, setUnseen] = useState({ count: 0, files: 0 })
  return (
    <>
      {table.can.read ? null : <p className="soft">{words.createOnly(table.name)}</p>}
      <p role="status" className="notice">
        {count > 0 ? words.createdUnseen(count) : ''}
        {files > 0 ? ` ${words.filesUnseen(files)}` : ''}
      </p>
      <NewRecordForm key={count} table={table} onUnseen={(added) => setUnseen({ count: count + 1, files: files + added })} />
    </>
  )
}

/** The initial values: the columns' defaults, the user if a rule requires it, and the link in the URL. */
function useInitialDraft({ personColumn }: TableView) {
  const { id: userId } = useUser()
  const hash = new URLSearchParams(useLocation({ select: (location) => location.hash }))
  const to = hash.get('to')
  const initialDraft = (column: ColumnInfo): FieldDraft => {
    if (to !== null && column.id === hash.get('link')) return toDraft(column, column.type === 'link' ? to : [to])
    if (column.name === personColumn) return toDraft(column, userId, decimalMark())
    const draft = toDraft(column, column.default, decimalMark())
    return column.type === 'boolean' && column.required ? draft === true : draft
  }
  return { initialDraft, isLinked: to !== null }
}

/** The values of a new record. `save` creates it only once, even if the first response is lost. */
function useNewRecord(table: TableView, onUnseen: OnUnseen) {
  const navigate = useNavigate()
  const { history } = useRouter()
  const { initialDraft, isLinked } = useInitialDraft(table)
  const [edits, setEdits] = useState<Edits>({})
  const [files, setFiles] = useState<Readonly<Record<string, File[]>>>({})
  const isDirty = useRef(false)
  isDirty.current = Object.keys(edits).length > 0 || Object.values(files).some((list) => list.length > 0)
  // Files can be added only to a record that exists, and has a key.
  const isOffered = (column: ColumnInfo) => !isGenerated(column) && (column.type !== 'attachment' || (table.can.read && table.can.update))
  const columns = table.columns.filter(isOffered)
  const attemptKey = useAttemptKey()

  const { failure, isBusy, save } = useSave(async () => {
    const [body, chosenKey] = newRecordRequest(table, columns, edits, initialDraft)
    const key = attemptKey(`${chosenKey} ${body}`)
    // Only a PUT accepts a key that the service would otherwise generate.
    const stored = await (chosenKey === undefined
      ? createRecord(table, key, body)
      : writeOnce({ method: 'PUT', table: table.id, pk: chosenKey, ifNoneMatch: '*' }, body, key))
    if (isUnseen(stored.record)) {
      isDirty.current = false
      return onUnseen(Object.values(files).flat().length)
    }
    const segment = keySegment(table, stored.record)
    queryClient.setQueryData(recordQuery(table, segment).queryKey, stored)
    for (const column of columns) {
      const queue = uploadQueue(attachmentsUrl(table.id, segment, column.id))
      // The record's page may open after a file is stored, or not at all.
      queue.onStored = () => queryClient.invalidateQueries(recordQuery(table, segment))
      queue.add(files[column.id] ?? [])
    }
    void invalidateRecords(table)
    isDirty.current = false
    if (isLinked && history.canGoBack()) {
      // The record at the other end of the link shows this one.
      void queryClient.invalidateQueries({ queryKey: ['record'] })
      return history.back({ ignoreBlocker: true })
    }
    await navigate({ to: '/tables/$tableId/records/$pk', params: { tableId: table.id, pk: segment }, replace: true, ignoreBlocker: true })
  })
  const draftOf = (column: ColumnInfo) => edits[column.name] ?? initialDraft(column)
  const change = (name: string, draft: FieldDraft) => setEdits((before) => ({ ...before, [name]: draft }))
  const filesOf = (column: ColumnInfo) => files[column.id] ?? []
  const changeFiles = (column: ColumnInfo, list: File[]) => setFiles((before) => ({ ...before, [column.id]: list }))
  return { columns, draftOf, change, filesOf, changeFiles, isDirty: () => isDirty.current, failure, isBusy, save }
}

function NewRecordForm({ table, onUnseen }: { table: TableView; onUnseen: OnUnseen }) {
  const { grid, record: words } = useStrings()
  const { columns, draftOf, change, filesOf, changeFiles, isDirty, failure, isBusy, save } = useNewRecord(table, onUnseen)
  const problems = toFieldErrors(table, failure, grid)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isOwnEvent(event)) void save()
  }
  const isKey = ({ name }: ColumnInfo) => isGeneratedKey(table, name)
  const fieldsFor = (some: readonly ColumnInfo[]) => (
    <Fields
      columns={some}
      draftOf={draftOf}
      change={change}
      problems={problems}
      isOptional={isKey}
      instead={(column) =>
        column.type === 'attachment' ? (
          <PendingFilesField column={column} files={filesOf(column)} change={(list) => changeFiles(column, list)} />
        ) : null
      }
    />
  )
  return (
    <form className="record-form" noValidate onSubmit={submit} onKeyDown={saveOnShortcut}>
      <ErrorSummary failure={failure} problems={problems} />
      {/* The page of the record will replace the form, so later input would be lost. */}
      <fieldset disabled={isBusy} style={{ display: 'contents' }}>
        {fieldsFor(columns.filter((column) => !isKey(column)))}
        {columns.some(isKey) ? (
          <FoldedFields isOpen={columns.some((column) => isKey(column) && problems.has(column.name))}>
            {fieldsFor(columns.filter(isKey))}
          </FoldedFields>
        ) : null}
      </fieldset>
      <SaveBar action={words.save} isBusy={isBusy} isIdle={false} state="" />
      <LeaveGuard isDirty={isDirty} />
    </form>
  )
}

/** Fields that few users fill in. */
function FoldedFields({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  const { columns: words } = useStrings()
  return (
    <details className="more" open={isOpen || undefined}>
      <summary>{words.more}</summary>
      <div className="more-fields">{children}</div>
    </details>
  )
}

/**
 * The entered values, and initial values other than the column's default. A key that the user has entered goes into the
 * URL.
 */
function newRecordRequest(
  table: TableView,
  columns: readonly ColumnInfo[],
  edits: Edits,
  initialDraft: (column: ColumnInfo) => FieldDraft,
): [body: string, segment?: string] {
  const values = Object.fromEntries(
    columns.flatMap((column): [string, FieldDraft][] => {
      const draft = edits[column.name] ?? initialDraft(column)
      return isSameDraft(draft, toDraft(column, column.default, decimalMark())) ? [] : [[column.name, draft]]
    }),
  )
  const key = table.primaryKey.find((name) => isGeneratedKey(table, name))
  const chosen = key === undefined ? '' : String(values[key] ?? '')
  if (key === undefined || chosen === '') return [toRequestBody(columns, values, decimalMark())]
  return [
    toRequestBody(
      columns.filter(({ name }) => name !== key),
      values,
      decimalMark(),
    ),
    encodeURIComponent(chosen),
  ]
}
