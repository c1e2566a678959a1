import { ErrorState } from '../../../components/query-state'
import { CardList } from '../cards/card-list'
import { useCellEditor } from '../edit/use-cell-editor'
import { useGridModel } from '../model/grid-model'
import type { DefinitionActions } from '../view/column-menu'
import { Grid } from '../view/grid'
import { EmptyGrid } from './empty-grid'
import { SummaryRow } from './summary/summary-row'
import type { GridControls } from './use-grid-controls'

type GridFrameProps = { controls: GridControls; definition: DefinitionActions | null; isList: boolean }

/** The records as a grid or as cards, or the reason why there are none. */
export function GridFrame({ controls, definition, isList }: GridFrameProps) {
  const { table, view, change, columns, gridQuery, wanted, records, failure, rights, frame } = useGridModel()
  const { actions, beside, editing, rowSelection } = controls
  const renderEditor = useCellEditor(editing, definition)
  const isEmpty = records.isLoaded && records.recordCount === 0 && !wanted.drafts.isUnsaved
  return (
    <div ref={frame} className="grid-place">
      {failure ? (
        <ErrorState error={failure} retry={() => wanted.retry()} />
      ) : isList ? (
        <CardList openRecord={beside.openRecord} />
      ) : (
        <Grid
          editing={editing.editing}
          isChecked={rowSelection.isChecked}
          checked={rowSelection.state}
          actions={actions}
          renderEditor={renderEditor}
          footer={(layout) => (
            <SummaryRow
              table={table}
              listId={records.id}
              changes={records.changes}
              columns={columns}
              view={view}
              change={change}
              query={gridQuery.applied}
              {...layout}
            />
          )}
          headActions={controls.columns.actions}
          definition={definition}
        />
      )}
      {isEmpty ? <EmptyGrid isList={isList} canCreate={rights.create} /> : null}
    </div>
  )
}
