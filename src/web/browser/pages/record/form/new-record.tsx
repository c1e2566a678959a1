import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
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
import { type ColumnInfo, isGenerated, isGeneratedKey, tableByName } from '../../../records/values/column'
import { isUnseen, keySegment } from '../../../records/values/record-key'
import { createRecord, invalidateRecords, recordQuery } from '../../../records/values/record-queries'
import { decimalMark } from '../../../values/decimal'
import { PendingFilesField } from '../files/files-field'
import { storePendingFiles } from '../files/pending-files'
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

/** The form, and an empty one after each record that the user may not see once it is created. */
function NewRecords({ table }: { table: TableView }) {
  const { record: words } = useStrings()
  const [count, setCount] = useState(0)
  return (
    <>
      {table.can.read ? null : <p className="soft">{words.createOnly(table.name)}</p>}
      <p role="status" className="notice">
        {count > 0 ? words.createdUnseen(count) : ''}
      </p>
      <NewRecordForm key={count} table={table} onUnseen={() => setCount(count + 1)} />
    </>
  )
}

/** The initial values: the columns' defaults, and the user where a rule wants their name. */
function initialDraft({ personColumn }: TableView, column: ColumnInfo, userId: string): FieldDraft {
  if (column.name === personColumn) return toDraft(column, userId, decimalMark())
  const draft = toDraft(column, column.default, decimalMark())
  return column.type === 'boolean' && column.required ? draft === true : draft
}

/** Generated keys go last. */
const rank = (table: TableView, { name }: ColumnInfo): number => (isGeneratedKey(table, name) ? 1 : 0)

function NewRecordForm({ table, onUnseen }: { table: TableView; onUnseen: () => void }) {
  const { grid, record: words } = useStrings()
  const navigate = useNavigate()
  const { id: userId } = useUser()
  const [edits, setEdits] = useState<Edits>({})
  const [files, setFiles] = useState<Readonly<Record<string, File[]>>>({})
  const isDirty = useRef(false)
  isDirty.current = Object.keys(edits).length > 0 || Object.values(files).some((list) => list.length > 0)
  // Files are added to a record that is there, and has a key.
  const isOffered = (column: ColumnInfo) => !isGenerated(column) && (column.type !== 'attachment' || (table.can.read && table.can.update))
  const columns = table.columns.filter(isOffered).sort((one, other) => rank(table, one) - rank(table, other))
  const change = (name: string, draft: FieldDraft) => setEdits((before) => ({ ...before, [name]: draft }))

  const { failure, isBusy, save } = useSave(async () => {
    const stored = await createRecord(table, ...newRecordRequest(table, columns, edits, userId))
    if (isUnseen(stored.record)) {
      isDirty.current = false
      return onUnseen()
    }
    const segment = keySegment(table, stored.record)
    for (const column of columns) storePendingFiles(attachmentsUrl(table.id, segment, column.id), files[column.id] ?? [])
    queryClient.setQueryData(recordQuery(table, segment).queryKey, stored)
    void invalidateRecords(table)
    isDirty.current = false
    await navigate({ to: '/tables/$tableId/records/$pk', params: { tableId: table.id, pk: segment }, replace: true, ignoreBlocker: true })
  })
  const problems = toFieldErrors(table, failure, grid)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isOwnEvent(event)) void save()
  }
  return (
    <form className="record-form" noValidate onSubmit={submit} onKeyDown={saveOnShortcut}>
      <ErrorSummary failure={failure} problems={problems} />
      <Fields
        columns={columns}
        draftOf={(column) => edits[column.name] ?? initialDraft(table, column, userId)}
        change={change}
        problems={problems}
        isOptional={(column) => isGeneratedKey(table, column.name)}
        instead={(column) =>
          column.type === 'attachment' ? (
            <PendingFilesField
              column={column}
              files={files[column.id] ?? []}
              change={(list) => setFiles((before) => ({ ...before, [column.id]: list }))}
            />
          ) : null
        }
      />
      <SaveBar action={words.save} isBusy={isBusy} isIdle={false} state="" />
      <LeaveGuard isDirty={() => isDirty.current} />
    </form>
  )
}

/**
 * The entered values, and initial values that are not the column's default. A key that the user has set goes into the
 * URL.
 */
function newRecordRequest(
  table: TableView,
  columns: readonly ColumnInfo[],
  edits: Edits,
  userId: string,
): [body: string, segment?: string] {
  const values = Object.fromEntries(
    columns.flatMap((column): [string, FieldDraft][] => {
      const draft = edits[column.name] ?? initialDraft(table, column, userId)
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
