import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { queryClient, tablesQuery } from '../../../api/queries'
import { recordAddress } from '../../../api/urls'
import { Await } from '../../../components/query-state'
import { useStrings } from '../../../language'
import { LeaveGuard } from '../../../layout/leave-guard'
import { NotFound } from '../../../layout/not-found'
import { Page } from '../../../layout/page'
import { useUser } from '../../../session/use-user'
import { decimalMark } from '../../../values/decimal'
import { type Column, findTable, isFilledIn, isMadeKey } from '../data/column'
import { keySegment } from '../data/record-key'
import { forgetRecords, makeRecord, recordQuery } from '../data/record-queries'
import { bodyOf, type Draft, draftOf, isSameDraft } from '../fields/field-draft'
import { problemsOf, refuseIncomplete } from '../fields/field-errors'
import { canWrite, Fields } from '../fields/fields'
import { WaitingFiles } from '../files/files-field'
import { keepFiles } from '../files/pending-files'
import type { Edits } from './edit-conflicts'
import { Summary } from './error-summary'
import { isWithin, saveByKey } from './record-form'
import { BackToTable } from './record-page'
import { SaveBar } from './save-bar'
import { useSave } from './use-save'

/** A record that is not there yet. */
export function NewRecordPage() {
  const { record: words } = useStrings()
  const { tableId } = useParams({ from: '/app/tables/$tableId/records/new' })
  const tables = useQuery(tablesQuery)
  const table = tables.data && findTable(tables.data, tableId)
  const { role } = useUser()
  if (tables.data && !table) return <NotFound />
  return (
    <Page title={words.create} isNarrow>
      {table ? <BackToTable table={table} note="" /> : null}
      <Await query={tables} lines={10}>
        {() =>
          canWrite(table!, role) ? (
            <NewRecordForm key={table!.id} table={table!} />
          ) : (
            <p className="soft">{table!.readOnly ? words.readOnlyTable : words.readOnlyRole}</p>
          )
        }
      </Await>
    </Page>
  )
}

/** The defaults, which stand in the fields from the beginning. */
const initialDraft = (column: Column): Draft => {
  const draft = draftOf(column, column.default)
  return column.type === 'boolean' && column.required ? draft === true : draft
}

/** A key that the service makes is the last thing to think of. */
const rank = (table: TableView, { name }: Column): number => (isMadeKey(table, name) ? 1 : 0)

function NewRecordForm({ table }: { table: TableView }) {
  const { record: words } = useStrings()
  const navigate = useNavigate()
  const form = useRef<HTMLFormElement>(null)
  const [edits, setEdits] = useState<Edits>({})
  const [files, setFiles] = useState<Readonly<Record<string, File[]>>>({})
  const isDirty = useRef(false)
  isDirty.current = Object.keys(edits).length > 0 || Object.values(files).some((list) => list.length > 0)
  const columns = table.columns.filter((column) => !isFilledIn(column)).sort((one, other) => rank(table, one) - rank(table, other))
  const change = (name: string, draft: Draft) => setEdits((before) => ({ ...before, [name]: draft }))

  const { failure, isBusy, save } = useSave(async () => {
    refuseIncomplete(form.current!, words.incomplete)
    const stored = await makeRecord(table, ...newRecord(table, columns, edits))
    const segment = keySegment(table, stored.record)
    for (const column of columns) keepFiles(`${recordAddress(table.id, segment)}/attachments/${column.id}`, files[column.id] ?? [])
    queryClient.setQueryData(recordQuery(table, segment).queryKey, stored)
    void forgetRecords(table)
    isDirty.current = false
    await navigate({ to: '/tables/$tableId/records/$pk', params: { tableId: table.id, pk: segment }, replace: true, ignoreBlocker: true })
  })
  const problems = problemsOf(table, failure, { noJson: words.invalidJson(0) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isWithin(event)) void save()
  }
  return (
    <form ref={form} className="record-form" noValidate onSubmit={submit} onKeyDown={saveByKey}>
      <Summary failure={failure} problems={problems} />
      <Fields
        columns={columns}
        draftOf={(column) => edits[column.name] ?? initialDraft(column)}
        change={change}
        problems={problems}
        isOptional={(column) => isMadeKey(table, column.name)}
        instead={(column) =>
          column.type === 'attachment' ? (
            <WaitingFiles
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

/** What was typed, and what stands in fields that nobody touched though it is no default. A key that the service would count goes by the address. */
function newRecord(table: TableView, columns: readonly Column[], edits: Edits): [body: string, segment?: string] {
  const wanted = Object.fromEntries(
    columns.flatMap((column): [string, Draft][] => {
      const draft = edits[column.name] ?? initialDraft(column)
      return isSameDraft(draft, draftOf(column, column.default)) ? [] : [[column.name, draft]]
    }),
  )
  const key = table.primaryKey.find((name) => isMadeKey(table, name))
  const chosen = key === undefined ? '' : String(wanted[key] ?? '')
  if (key === undefined || chosen === '') return [bodyOf(columns, wanted, decimalMark())]
  return [
    bodyOf(
      columns.filter(({ name }) => name !== key),
      wanted,
      decimalMark(),
    ),
    encodeURIComponent(chosen),
  ]
}
