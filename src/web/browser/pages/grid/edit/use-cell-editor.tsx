import { useRef } from 'react'
import { useStrings } from '../../../language'
import type { GridColumn } from '../../../records/values/cell-values'
import { displayedValue } from '../model/displayed-value'
import { useGridModel } from '../model/grid-model'
import type { DefinitionActions } from '../view/column-menu'
import { CellEditor } from './cell-editor'
import type { useEditing } from './use-editing'

/** @returns renders the editor of the active cell */
export function useCellEditor({ editing, commit, cancel }: ReturnType<typeof useEditing>, definition: DefinitionActions | null) {
  const { grid } = useStrings()
  const { records, selection } = useGridModel()
  const hasNewChoice = useRef(false)
  /** Waits until the editor is closed: a changed column causes a new list, which would close the editor. */
  const showNewChoice = () => {
    if (hasNewChoice.current) definition?.refresh()
    hasNewChoice.current = false
  }
  return (column: GridColumn, row: number) => (
    <CellEditor
      key={`${row} ${column.id}`}
      column={column}
      value={displayedValue(records, row, column)}
      typed={editing?.typed ?? null}
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
        commit(selection.active, value, direction)
        showNewChoice()
      }}
      cancel={() => {
        cancel()
        showNewChoice()
      }}
    />
  )
}
