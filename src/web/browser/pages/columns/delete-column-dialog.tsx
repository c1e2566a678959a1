import type { TableView } from '../../../../tables/model'
import { ConfirmDialog } from '../../components/confirm-dialog'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../../records/values/column'
import { invalidateTable, removeColumn } from '../../records/values/column-data'

type DeleteColumnDialogProps = { table: TableView; column: ColumnInfo | null; close: () => void }

/** Asks for the name of the column before deleting it. The service names the formulas that use it. */
export function DeleteColumnDialog({ table, column, close }: DeleteColumnDialogProps) {
  const { columns: words } = useStrings()
  const remove = async () => {
    await removeColumn(table, column!)
    await invalidateTable()
  }
  return (
    <ConfirmDialog
      isOpen={column !== null}
      close={close}
      title={words.deleteTitle(column?.name ?? '')}
      text={words.deleteText}
      action={words.deleteAction}
      name={column?.name ?? ''}
      onConfirm={remove}
    />
  )
}
