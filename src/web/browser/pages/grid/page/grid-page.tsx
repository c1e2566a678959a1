import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { ApiError } from '../../../api/api-error'
import { Await, ErrorState } from '../../../components/query-state'
import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import { LeaveGuard } from '../../../layout/leave-guard'
import { NotFound } from '../../../layout/not-found'
import { Page } from '../../../layout/page'
import { layOutColumns } from '../../../records/list/column-layout'
import { parseListQuery } from '../../../records/list/list-query'
import type { SavedView } from '../../../records/list/table-queries'
import { tableQuery } from '../../../records/list/table-queries'
import { mutationsFor } from '../../../records/mutations/table-mutations'
import { DraftRows } from '../../../records/pages/draft-rows'
import { RecordPages } from '../../../records/pages/record-pages'
import type { GridColumn } from '../../../records/values/cell-values'
import { canWriteAny } from '../../../records/values/column'
import { rememberOpenedTable } from '../../../session/opened-tables'
import { CardList } from '../cards/card-list'
import { CellEditor } from '../edit/cell-editor'
import { toCopiedCells, useClipboard } from '../edit/use-clipboard'
import { commitOpenEditor, useDraftRows } from '../edit/use-draft-rows'
import { useEditing } from '../edit/use-editing'
import { useRanges } from '../edit/use-ranges'
import { displayedValue, Grid } from '../view/grid'
import { rowLayout } from '../view/row-layout'
import { useNotice } from '../view/use-notice'
import { useSearchMarks } from '../view/use-search-marks'
import { useShownPages } from '../view/use-shown-pages'
import { CellMenu } from './cell-menu'
import { ColumnDialogs, useColumnDefinition } from './column-definition'
import { CellConflictDialog } from './conflict-dialog'
import { EmptyGrid } from './empty-grid'
import { MissingNamesDialog, PasteDialog } from './paste-dialog'
import { RecordBeside } from './record-beside'
import { StatusBar } from './status/status-bar'
import { SummaryRow } from './summary/summary-row'
import { Toolbar } from './toolbar'
import { useCellMenu } from './use-cell-menu'
import { useColumnActions } from './use-column-actions'
import { useGridQuery, useQueryOutcome } from './use-grid-query'
import { useOpenRecord } from './use-open-record'
import { useRefresh } from './use-refresh'
import { useRenamedColumns } from './use-renamed-columns'
import { useRowSelection } from './use-row-selection'
import { useSavedView } from './use-saved-view'
import { useSelection } from './use-selection'
import { useUndo } from './use-undo'

/** The records of a table in a grid. */
export function GridPage() {
  const { shell } = useStrings()
  const { tableId } = useParams({ from: '/app/tables/$tableId' })
  const query = useQuery(tableQuery(tableId))
  const { query: view, change } = useSavedView(tableId)
  if (query.error instanceof ApiError && query.error.status === 404) return <NotFound />
  // Its records are added without being seen.
  if (query.data && !query.data.can.read) return <Navigate to="/tables/$tableId/records/new" params={{ tableId }} replace />
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

/** As in the style sheets. */
const narrowWindow = '(max-width: 48em)'

type TableGridProps = { table: TableView; view: SavedView; change: (patch: (view: SavedView) => SavedView) => void }

function TableGrid({ table, view, change }: TableGridProps) {
  useEffect(() => rememberOpenedTable(table.id), [table.id])
  const { grid, home } = useStrings()
  const { notice, notifier } = useNotice()
  const gridQuery = useGridQuery({ table, view, change })
  const { query, setQuery, parameters } = gridQuery
  useRenamedColumns(table, query, setQuery)
  const frame = useRef<HTMLDivElement>(null)
  const columns = useMemo(() => layOutColumns(table, view), [table, view])
  const layout = rowLayout(view)
  const [mutations] = useState(() => mutationsFor(table.id))
  const { can } = table
  const canEdit = canWriteAny(table)
  const drafts = useMemo(() => new DraftRows(can.create), [can.create])
  const previous = useRef<RecordPages | null>(null)
  const wanted = useMemo(() => {
    const { id: tableId, primaryKey } = table
    const isSameList = previous.current?.source.query === parameters
    const pages = new RecordPages(
      { tableId, primaryKey, query: parameters },
      drafts,
      mutations.pending,
      isSameList ? previous.current?.total : null,
    )
    previous.current = pages
    return pages
  }, [table, parameters, drafts, mutations])
  const records = useShownPages(wanted)
  const isChecking = useQueryOutcome(table, wanted, gridQuery)
  mutations.use(table, records)
  const { selection, select, keepPlace } = useSelection(records, frame)
  const beside = useOpenRecord(table, records, keepPlace)
  const { openRecord } = beside
  const readOnlyReason = table.readOnly ? grid.readOnlyTable : grid.readOnlyUser
  const draftRows = useDraftRows({ table, frame, records, mutations, selection, select, notifier })
  const editing = useEditing({
    table,
    records,
    mutations,
    columns,
    selection,
    select,
    readOnlyReason,
    notifier,
    openRecord,
    leaveDrafts: () => void draftRows.leave(null, true),
  })
  const { refresh, reportError, isRefreshing } = useRefresh({
    table,
    frame,
    records,
    rowHeight: layout.height,
    selection,
    select,
    isEditing: editing.editing !== null,
    notifier,
  })
  useEffect(() => mutations.listenForErrors(reportError), [mutations, reportError])
  const rowSelection = useRowSelection(records)
  const head = useColumnActions({ table, view, change, query, setQuery, toggleAll: rowSelection.toggleAll, select })
  const { undo, redo } = useUndo({ table, mutations, notifier })
  const { createTogether } = draftRows
  const ranges = useRanges({
    table,
    records,
    mutations,
    columns,
    selection,
    select,
    readOnlyReason,
    notifier,
    undo,
    createTogether,
  })
  useSearchMarks(frame, gridQuery.applied.q)
  useClipboard({ frame, records, columns, selection, notifier, paste: ranges.paste, clear: ranges.clear })
  const cellMenu = useCellMenu({
    table,
    records,
    selection,
    rowSelection,
    notifier,
    openRecord,
    newRow: editing.newRow,
    clear: ranges.clear,
    undo,
    pasteText: (text) => ranges.paste(toCopiedCells(text)),
    createTogether,
  })
  const menuActions = useStableCallbacks({ openMenu: cellMenu.open })
  const actions = {
    ...editing,
    openMenu: menuActions.openMenu,
    clear: ranges.clear,
    fill: ranges.fill,
    fillSelection: ranges.fillSelection,
    select,
    toggleCheck: rowSelection.toggle,
    toggleAll: rowSelection.toggleAll,
    undo,
    redo,
    openRecord: (row: number) => (records.rowAt(row)?.isDraft ? editing.newRow() : openRecord(row)),
  }
  const isList = useMediaQuery(narrowWindow, undefined, { getInitialValueInEffect: false }) && !view.isGridOnPhone
  const tools = useStableCallbacks({
    change,
    setQuery,
    newRow: isList ? beside.newRecord : actions.newRow,
    undo: actions.undo,
    redo: actions.redo,
    refresh,
  })
  const headActions = useStableCallbacks(head.actions)
  const { definition, dialog, closeDialog, addToView } = useColumnDefinition({
    table,
    columns,
    change,
    activate: headActions.activate,
    notifier,
  })
  const hasNewChoice = useRef(false)
  /** Not before the editor is closed: another column is another list, and the editor would close. */
  const showNewChoice = () => {
    if (hasNewChoice.current) definition?.refresh()
    hasNewChoice.current = false
  }
  const renderEditor = (column: GridColumn, row: number) => (
    <CellEditor
      key={`${row} ${column.id}`}
      column={column}
      value={displayedValue(records, row, column)}
      typed={editing.editing?.typed ?? null}
      refused={records.rowAt(row)?.refused?.[column.name]}
      label={grid.editCell(column.name, row + 1)}
      addChoice={
        definition &&
        (async (choice) => {
          const isAdded = await definition.addChoice(column, choice)
          hasNewChoice.current ||= isAdded
          return isAdded
        })
      }
      commit={(value, direction) => {
        editing.commit(selection.active, value, direction)
        showNewChoice()
      }}
      cancel={() => {
        editing.cancel()
        showNewChoice()
      }}
    />
  )
  const isEmpty = records.isLoaded && records.recordCount === 0 && !drafts.isUnsaved
  return (
    <Page
      title={table.name}
      isGrid
      actions={
        <>
          {canEdit ? null : <span className="badge is-warning">{table.readOnly ? home.readOnly : grid.viewOnly}</span>}
          <Toolbar
            table={table}
            view={view}
            query={query}
            actions={tools}
            isRefreshing={isRefreshing}
            canUndo={mutations.history.size('undo') > 0}
            canRedo={mutations.history.size('redo') > 0}
            refused={gridQuery.refused}
            filterColumn={head.filterColumn}
            parameters={parameters}
          />
        </>
      }
    >
      <div className="grid-beside">
        <div ref={frame} className="grid-place">
          {wanted.error && !wanted.isLoaded && !isChecking ? (
            <ErrorState error={wanted.error} retry={() => wanted.retry()} />
          ) : isList ? (
            <CardList
              table={table}
              name={grid.recordsOf(table.name)}
              records={records}
              isWaiting={records !== wanted}
              columns={columns}
              active={selection.active}
              openRecord={openRecord}
            />
          ) : (
            <Grid
              name={grid.recordsOf(table.name)}
              records={records}
              isWaiting={records !== wanted}
              columns={columns}
              rowLayout={layout}
              sort={query.sort}
              selection={selection}
              editing={editing.editing}
              isChecked={rowSelection.isChecked}
              checked={rowSelection.state}
              canCheck={(can.update || can.delete) && table.primaryKey.length > 0}
              isReadOnly={!canEdit}
              canUpdate={can.update}
              actions={actions}
              renderEditor={renderEditor}
              footer={(layoutOfColumns) => (
                <SummaryRow
                  table={table}
                  listQuery={records.source.query}
                  changes={records.changes}
                  columns={columns}
                  view={view}
                  change={tools.change}
                  query={gridQuery.applied}
                  {...layoutOfColumns}
                />
              )}
              primaryKey={table.primaryKey}
              headActions={headActions}
              definition={definition}
            />
          )}
          {isEmpty ? (
            <EmptyGrid isFiltered={parameters !== ''} canCreate={can.create} clearQuery={() => setQuery(parseListQuery({}))} />
          ) : null}
        </div>
        <RecordBeside table={table} records={records} mutations={mutations} selection={selection} select={select} {...beside} />
      </div>
      <StatusBar
        table={table}
        records={records}
        mutations={mutations}
        columns={columns}
        query={gridQuery.applied}
        selection={selection}
        notice={notice}
        notifier={notifier}
        rowSelection={rowSelection}
        undo={undo}
      />
      <LeaveGuard
        isDirty={() => {
          commitOpenEditor()
          return drafts.isUnsaved
        }}
        save={() => draftRows.leave(null, true)}
      />
      <CellMenu menu={cellMenu.menu} close={cellMenu.close} />
      <PasteDialog question={ranges.question} close={ranges.closeQuestion} />
      <MissingNamesDialog question={ranges.missingNames} close={ranges.closeMissingNames} />
      <ColumnDialogs table={table} dialog={dialog} close={closeDialog} onCreated={addToView} />
      <CellConflictDialog questions={mutations.conflicts} table={table} />
    </Page>
  )
}
