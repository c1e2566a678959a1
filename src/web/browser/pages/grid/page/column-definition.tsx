import { useEffect, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { useUser } from '../../../api/use-user'
import { lazyComponent } from '../../../components/lazy-component'
import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import { type ColumnPlace, placeColumn } from '../../../records/list/column-layout'
import type { GridColumn } from '../../../records/values/cell-values'
import { type ColumnInfo, canBecomeName, unusedColumnName } from '../../../records/values/column'
import { addColumnChoices, chooseRecordName, invalidateTable, updateColumn } from '../../../records/values/column-data'
import { useGridModel } from '../model/grid-model'
import type { DefinitionActions } from '../view/column-menu'

const load = () => import('../../lazy-pages')
const LazyColumnDialog = lazyComponent(async () => (await load()).ColumnDialog)
const LazyDeleteColumnDialog = lazyComponent(async () => (await load()).DeleteColumnDialog)

export type OpenColumnDialog =
  | { what: 'new'; place: ColumnPlace }
  | { what: 'edit'; column: ColumnInfo; isDescriptionFocused: boolean }
  | { what: 'delete'; column: ColumnInfo }

/**
 * Adding, editing and deleting columns in the grid. `definition` is null for users without that right.
 * @param activate makes the header of a new column the active cell
 */
export function useColumnDefinition(activate: (column: number) => void) {
  const { table, columns, change, notifier } = useGridModel()
  const { columns: words } = useStrings()
  const isAdmin = useUser().role === 'admin'
  const [dialog, setDialog] = useState<OpenColumnDialog | null>(null)
  const [createdId, setCreatedId] = useState<string | null>(null)

  const infoOf = ({ id }: GridColumn) => table.columns.find((column) => column.id === id)!
  const addToView = (created: ColumnInfo, place: ColumnPlace) => {
    change((before) => placeColumn(table, before, created.id, place))
    setCreatedId(created.id)
  }
  const duplicate = async (column: GridColumn) => {
    try {
      const { duplicateColumn } = await load()
      const { created, hasValues } = await duplicateColumn(table, infoOf(column), unusedColumnName(table, words.copyOf(column.name)))
      addToView(created, { anchor: column.id, side: 'right' })
      notifier.show((hasValues ? words.duplicated : words.duplicatedEmpty)(created.name))
    } catch (error) {
      notifier.showError(error)
    }
  }
  const becomeName = async (column: GridColumn) => {
    try {
      await chooseRecordName(table, infoOf(column))
      await invalidateTable()
      notifier.show(words.namesRecords(column.name))
    } catch (error) {
      notifier.showError(error)
    }
  }
  const actions = useStableCallbacks<DefinitionActions>({
    rename: async (column, name) => {
      await updateColumn(table, infoOf(column), { name })
      await invalidateTable()
    },
    canBecomeName: (column) => canBecomeName(table, infoOf(column)),
    becomeName: (column) => void becomeName(column),
    addChoice: async (column, choice) => {
      try {
        await addColumnChoices(table, infoOf(column), [choice])
        return true
      } catch (error) {
        notifier.showError(error)
        return false
      }
    },
    refresh: () => void invalidateTable(),
    edit: (column, isDescriptionFocused) => setDialog({ what: 'edit', column: infoOf(column), isDescriptionFocused }),
    add: (place) => setDialog({ what: 'new', place }),
    duplicate: (column) => void duplicate(column),
    remove: (column) => setDialog({ what: 'delete', column: infoOf(column) }),
  })
  const number = createdId === null ? -1 : columns.findIndex(({ column }) => column.id === createdId)
  useEffect(() => {
    if (number < 0) return
    setCreatedId(null)
    activate(number)
  }, [number, activate])
  const isAllowed = isAdmin && table.createdAt !== null
  return { definition: isAllowed ? actions : null, dialog, closeDialog: () => setDialog(null), addToView }
}

type ColumnDialogsProps = {
  dialog: OpenColumnDialog | null
  close: () => void
  onCreated: (created: ColumnInfo, place: ColumnPlace) => void
}

/** The dialogs of the columns page, loaded when they are first opened. */
export function ColumnDialogs({ dialog, close, onCreated }: ColumnDialogsProps) {
  const { table } = useGridModel()
  if (!dialog) return null
  return (
    <>
      {dialog.what === 'new' ? (
        <LazyColumnDialog
          table={table}
          position={columnPosition(table, dialog.place)}
          onCreated={(created) => onCreated(created, dialog.place)}
          close={close}
        />
      ) : null}
      {dialog.what === 'edit' ? (
        <LazyColumnDialog table={table} column={dialog.column} isDescriptionFocused={dialog.isDescriptionFocused} close={close} />
      ) : null}
      {dialog.what === 'delete' ? <LazyDeleteColumnDialog table={table} column={dialog.column} close={close} /> : null}
    </>
  )
}

function columnPosition({ columns }: TableView, place: ColumnPlace): number | undefined {
  const anchor = columns.find(({ id }) => id === place?.anchor)
  return anchor && place ? anchor.position + (place.side === 'left' ? 0 : 1) : undefined
}
