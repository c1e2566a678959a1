import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../../../api/api-error'
import { lazyComponent } from '../../../components/lazy-component'
import { Await } from '../../../components/query-state'
import { useLazyMount } from '../../../components/use-lazy-mount'
import { useStrings } from '../../../language'
import { LeaveGuard } from '../../../layout/leave-guard'
import { NotFound } from '../../../layout/not-found'
import { Page } from '../../../layout/page'
import { tableQuery } from '../../../records/list/table-queries'
import { rememberOpenedTable } from '../../../session/opened-tables'
import { commitOpenEditor } from '../edit/use-draft-rows'
import { type GridModel, GridModelProvider, useGridModel } from '../model/grid-model'
import { useTableModel } from '../model/use-table-model'
import { CellMenu } from './cell-menu'
import { ColumnDialogs, useColumnDefinition } from './column-definition'
import { CellConflictDialog } from './conflict-dialog'
import { GridFrame } from './grid-frame'
import { GridTools } from './grid-tools'
import { RecordBeside } from './record-beside'
import { DocumentsDialog } from './status/documents-dialog'
import { ImportNotice } from './status/import-notice'
import { StatusBar } from './status/status-bar'
import { useGridControls } from './use-grid-controls'
import { isMissing, useSavedView } from './use-saved-view'

const LazyShareRecord = lazyComponent(async () => (await import('../../lazy-pages')).ShareRecordDialog)
const LazyPasteDialogs = lazyComponent(async () => (await import('../../lazy-pages')).PasteDialogs)
const LazyLightbox = lazyComponent(async () => (await import('../../lazy-pages')).Lightbox)

/** The records of a table in a grid. */
export function GridPage() {
  const { shell } = useStrings()
  const { tableId } = useParams({ from: '/app/tables/$tableId' })
  const query = useQuery(tableQuery(tableId))
  const { query: viewQuery, view, ...changes } = useSavedView(tableId)
  if (query.error instanceof ApiError && query.error.status === 404) return <NotFound />
  // Without the right to read, a user can only add records.
  if (query.data && !query.data.can.read) return <Navigate to="/tables/$tableId/records/new" params={{ tableId }} replace />
  if (query.data && view) return <OpenedTable key={query.data.id} table={query.data} view={view} {...changes} />
  return (
    <Page title={query.data?.name ?? shell.tables}>
      <Await query={query.data ? viewQuery : query} lines={12}>
        {() => null}
      </Await>
    </Page>
  )
}

type OpenedTableProps = Pick<GridModel, 'table' | 'view' | 'change' | 'choose'> & { failure: unknown; drop: () => void }

/** @param failure why the named view cannot be shown @param drop leaves that view */
function OpenedTable({ failure, drop, ...opened }: OpenedTableProps) {
  const { grid } = useStrings()
  const { id } = opened.table
  const model = useTableModel(opened)
  useEffect(() => rememberOpenedTable(id), [id])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each failure
  useEffect(() => {
    if (isMissing(failure)) {
      model.notifier.showFailure(grid.views.gone)
      drop()
    } else if (failure) model.notifier.showError(failure)
  }, [failure])
  return (
    <GridModelProvider value={model}>
      <TableGrid />
    </GridModelProvider>
  )
}

/** The same width as in the style sheets. */
const narrowWindow = '(max-width: 48em)'

function TableGrid() {
  const { table, view, wanted, mutations } = useGridModel()
  const controls = useGridControls()
  const { beside, cellMenu, documents, draftRows, files, ranges, rowSelection } = controls
  const { shared } = cellMenu
  const asksPaste = useLazyMount(ranges.question !== null || ranges.missingNames !== null)
  const isList = useMediaQuery(narrowWindow, undefined, { getInitialValueInEffect: false }) && !view.isGridOnPhone
  const { definition, dialog, closeDialog, addToView } = useColumnDefinition(controls.columns.actions.activate)
  return (
    <Page title={table.name} isGrid actions={<GridTools controls={controls} isList={isList} definition={definition} />}>
      <div className="grid-beside">
        <GridFrame controls={controls} definition={definition} isList={isList} />
        <RecordBeside {...beside} deleteRecord={controls.actions.deleteRecord} />
      </div>
      <StatusBar rowSelection={rowSelection} undo={controls.actions.undo} makeDocument={documents.open} />
      <ImportNotice />
      <DocumentsDialog {...documents} />
      <LeaveGuard
        isDirty={() => {
          commitOpenEditor()
          return wanted.drafts.isUnsaved
        }}
        save={() => draftRows.leave(null, true)}
      />
      {files.viewed ? <LazyLightbox {...files.viewed} setIndex={files.view} /> : null}
      <CellMenu menu={cellMenu.menu} close={cellMenu.close} />
      {shared?.key ? (
        <LazyShareRecord table={table} segment={shared.key} record={shared.record} isOpen close={cellMenu.endSharing} />
      ) : null}
      {asksPaste.isMounted ? <LazyPasteDialogs {...ranges} /> : null}
      <ColumnDialogs dialog={dialog} close={closeDialog} onCreated={addToView} />
      <CellConflictDialog questions={mutations.conflicts} table={table} />
    </Page>
  )
}
