import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import { useViewedRights } from '../../../records/values/table-rights'
import { useGridModel } from '../model/grid-model'
import type { DefinitionActions } from '../view/column-menu'
import { Toolbar } from './toolbar'
import type { GridControls } from './use-grid-controls'

type GridToolsProps = { controls: GridControls; isList: boolean; definition: DefinitionActions | null }

/** The toolbar, and a mark on a table that the user cannot change. */
export function GridTools({ controls, isList, definition }: GridToolsProps) {
  const { grid, home } = useStrings()
  const { table, view, change, gridQuery, mutations, rights } = useGridModel()
  const viewed = useViewedRights(table)
  const { actions, beside, columns, isRefreshing, refresh } = controls
  const { query, setQuery, refused, parameters } = gridQuery
  const { newRow, undo, redo } = actions
  const tools = useStableCallbacks({ change, setQuery, newRow: isList ? beside.newRecord : newRow, undo, redo, refresh })
  return (
    <>
      {rights.any ? null : (
        <span className="badge is-warning" title={rights.refusal}>
          {table.readOnly ? home.readOnly : (viewed?.mark ?? grid.viewOnly)}
        </span>
      )}
      <Toolbar
        table={table}
        view={view}
        query={query}
        actions={tools}
        isRefreshing={isRefreshing}
        canUndo={mutations.history.size('undo') > 0}
        canRedo={mutations.history.size('redo') > 0}
        refused={refused}
        filterColumn={columns.filterColumn}
        parameters={parameters}
        definition={definition}
      />
    </>
  )
}
