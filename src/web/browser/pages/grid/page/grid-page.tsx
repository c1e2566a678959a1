import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { TableView } from '../../../../../tables/model'
import { Refusal } from '../../../api/api-error'
import { Await, Failed } from '../../../components/query-state'
import { useStable } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import { LeaveGuard } from '../../../layout/leave-guard'
import { NotFound } from '../../../layout/not-found'
import { Page } from '../../../layout/page'
import { useUser } from '../../../session/use-user'
import { TableTools } from '../../table-tools/table-tools'
import { DraftRow } from '../data/draft-row'
import { knownBeginning } from '../data/first-page'
import { parametersFor, type Query, readQuery, toSearch } from '../data/list-query'
import { Records } from '../data/record-pages'
import { writerFor } from '../data/table-mutations'
import { tableQuery } from '../data/table-queries'
import { useClipboard } from '../edit/use-clipboard'
import { leaveEditor, useDraft } from '../edit/use-draft-row'
import { useEditing } from '../edit/use-editing'
import { at, type Selection } from '../view/cell-selection'
import { arrange, type View } from '../view/column-layout'
import { Grid } from '../view/grid'
import { useNotice } from '../view/use-notice'
import { ConflictDialog } from './conflict-dialog'
import { EmptyGrid } from './empty-grid'
import { StatusBar } from './status-bar'
import { Toolbar } from './toolbar'
import { useHeadActions } from './use-column-actions'
import { useRecordOpening } from './use-open-record'
import { useChecked } from './use-row-selection'
import { useView } from './use-saved-view'
import { useUndo } from './use-undo'

/** One table: its records in a grid. */
export function GridPage() {
  const { shell } = useStrings()
  const { tableId } = useParams({ from: '/app/tables/$tableId' })
  const query = useQuery(tableQuery(tableId))
  const { query: view, change } = useView(tableId)
  if (query.error instanceof Refusal && query.error.status === 404) return <NotFound />
  if (query.data && (view.data || view.error))
    return <TableGrid key={query.data.id} table={query.data} view={view.data ?? {}} change={change} />
  return (
    <Page title={query.data?.name ?? shell.tables}>
      <Await query={query.data ? view : query} lines={12}>
        {() => null}
      </Await>
    </Page>
  )
}

type TableGridProps = { table: TableView; view: View; change: (patch: (view: View) => View) => void }

/** What is looked for stands in the address; without one, it is what was looked for last. */
function useGridQuery(view: View, change: TableGridProps['change']) {
  const search = useSearch({ from: '/app/tables/$tableId' })
  const navigate = useNavigate()
  const isBare = Object.keys(search).length === 0
  const isFirst = useRef(true)
  const kept = isFirst.current && isBare ? view.search : undefined
  const key = JSON.stringify(kept ?? search)
  const query = useMemo(() => readQuery(JSON.parse(key)), [key])
  const setQuery = (next: Query) => {
    const wanted = toSearch(next)
    change((before) => ({ ...before, search: wanted }))
    void navigate({ to: '.', search: wanted, replace: true })
  }
  useEffect(() => {
    isFirst.current = false
    if (kept && Object.keys(kept).length) void navigate({ to: '.', search: kept, replace: true })
  }, [kept, navigate])
  return { query, setQuery }
}

function TableGrid({ table, view, change }: TableGridProps) {
  const { grid, home } = useStrings()
  const user = useUser()
  const { notice, tell } = useNotice()
  const { query, setQuery } = useGridQuery(view, change)
  const [selection, select] = useState<Selection>(() => at(0, 0))
  const frame = useRef<HTMLDivElement>(null)
  const columns = useMemo(() => arrange(table, view), [table, view])
  const parameters = parametersFor(query, table)
  const [writer] = useState(() => writerFor(table.id))
  const [draftRow] = useState(() => new DraftRow())
  const records = useMemo(() => {
    const { id: tableId, primaryKey } = table
    return new Records({ tableId, primaryKey, query: parameters }, draftRow, writer.pending, knownBeginning(tableId, parameters))
  }, [table, parameters, draftRow, writer])
  useEffect(() => void records.open(), [records])
  useSyncExternalStore(records.subscribe, () => records.version)
  writer.use(table, records)
  useEffect(() => writer.attend(tell.refuse), [writer, tell])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its beginning
  useEffect(() => select((before) => (before.active.row > 0 ? at(0, Math.max(0, before.active.column)) : before)), [parameters])

  const mayWrite = user.role !== 'viewer' && !table.readOnly
  const openRecord = useRecordOpening(table, records)
  const whyNot = table.readOnly ? grid.readOnlyTable : grid.readOnlyUser
  const draft = useDraft({ frame, records, writer, selection, tell })
  const leaveDraft = draft.leave
  const editing = useEditing({ table, records, writer, columns, selection, select, mayWrite, whyNot, tell, openRecord, leaveDraft })
  const checks = useChecked(records)
  const head = useHeadActions({ table, view, change, query, setQuery, toggleAll: checks.toggleAll })
  useClipboard({ frame, records, columns, selection, tell, paste: editing.paste, clear: editing.clear })

  const { undo, redo } = useUndo({ table, writer, tell })
  const actions = {
    ...editing,
    select,
    toggleCheck: checks.toggle,
    toggleAll: checks.toggleAll,
    undo,
    redo,
    openRecord,
    openMenu: (column: number) => frame.current?.querySelector<HTMLElement>(`[data-row="-1"][data-column="${column}"] .grid-menu`)?.click(),
  }
  const tools = useStable({ change, setQuery, newRow: actions.newRow, undo: actions.undo, redo: actions.redo })
  const headActions = useStable(head.actions)
  const isEmpty = records.isLoaded && records.length === 0
  return (
    <Page
      title={table.name}
      isGrid
      actions={
        <>
          {mayWrite ? null : <span className="badge is-warning">{table.readOnly ? home.readOnly : grid.viewOnly}</span>}
          <Toolbar table={table} view={view} query={query} actions={tools} mayWrite={mayWrite} filterColumn={head.filterColumn} />
          <TableTools table={table} />
        </>
      }
    >
      <div ref={frame} className="grid-place">
        {records.failure && !records.isLoaded ? (
          <Failed error={records.failure} retry={() => records.open()} />
        ) : isEmpty ? (
          <EmptyGrid isNarrowed={parameters !== ''} mayWrite={mayWrite} newRow={editing.newRow} widen={() => setQuery(readQuery({}))} />
        ) : (
          <Grid
            name={grid.recordsOf(table.name)}
            records={records}
            columns={columns}
            sort={query.sort}
            selection={selection}
            editing={editing.editing}
            isChecked={checks.isChecked}
            checked={checks.state}
            canCheck={mayWrite && table.primaryKey.length > 0}
            isReadOnly={!mayWrite}
            actions={actions}
            headActions={headActions}
          />
        )}
      </div>
      <StatusBar
        table={table}
        records={records}
        writer={writer}
        columns={columns}
        query={query}
        selection={selection}
        notice={notice}
        tell={tell}
        checks={checks}
        undo={undo}
        mayWrite={mayWrite}
      />
      <LeaveGuard
        isDirty={() => {
          leaveEditor()
          return draftRow.isUnsaved
        }}
        save={draft.leave}
      />
      <ConflictDialog questions={writer.questions} table={table} />
    </Page>
  )
}
