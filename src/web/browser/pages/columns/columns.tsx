import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { useUser } from '../../api/use-user'
import { BackToTable } from '../../components/back-to-table'
import { Icon } from '../../components/icon'
import { EmptyState } from '../../components/query-state'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import { TablePage } from '../../layout/table-page'
import type { ColumnInfo } from '../../records/values/column'
import { reasonsQuery } from '../../records/values/column-data'
import { ColumnDialog } from './column-dialog'
import { ColumnList } from './column-list'
import { DeleteColumnDialog } from './delete-column-dialog'
import { SearchIndexSwitch } from './search-index-switch'

/** The columns of a table. Administrators can edit those of tables that Rowhouse created. */
export function ColumnsPage() {
  const { tableId } = useParams({ from: '/app/tables/$tableId/columns' })
  return <TablePage tableId={tableId}>{(table) => <Columns key={table.id} table={table} />}</TablePage>
}

type OpenDialog = { what: 'new' } | { what: 'edit' | 'delete'; column: ColumnInfo } | null

function Columns({ table }: { table: TableView }) {
  const { columns: words } = useStrings()
  const isAdmin = useUser().role === 'admin'
  const isOwn = table.createdAt !== null
  const canChange = isAdmin && isOwn
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null)
  const close = () => setOpenDialog(null)
  const newButton = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpenDialog({ what: 'new' })}>
      {words.create}
    </Button>
  )
  return (
    <Page
      title={words.title(table.name)}
      isNarrow
      above={<BackToTable table={table} note={canChange ? '' : isOwn ? words.onlyAdmins : words.notCreatedHere} />}
      actions={canChange ? newButton : null}
    >
      {isAdmin && !isOwn ? <Reasons table={table} /> : null}
      {table.columns.length === 0 ? (
        <EmptyState icon="table" title={words.none} text={words.noneText} />
      ) : (
        <ColumnList
          table={table}
          canChange={canChange}
          edit={(column) => setOpenDialog({ what: 'edit', column })}
          remove={(column) => setOpenDialog({ what: 'delete', column })}
        />
      )}
      {canChange ? <SearchIndexSwitch table={table} /> : null}
      {openDialog?.what === 'new' ? <ColumnDialog table={table} close={close} /> : null}
      {openDialog?.what === 'edit' ? <ColumnDialog table={table} column={openDialog.column} close={close} /> : null}
      <DeleteColumnDialog table={table} column={openDialog?.what === 'delete' ? openDialog.column : null} close={close} />
    </Page>
  )
}

/** The service's reasons for not serving the table fully. */
function Reasons({ table }: { table: TableView }) {
  const { data = [] } = useQuery(reasonsQuery(table))
  return data.length === 0 ? null : (
    <ul className="reasons soft">
      {data.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  )
}
