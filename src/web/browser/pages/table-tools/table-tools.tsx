import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import { useUser } from '../../session/use-user'
import { ApiDialog } from './api-dialog'
import { ExportDialog } from './export-dialog'

type TableToolsProps = { table: TableView /** The query string of the displayed list. */; parameters: string }

/** Import, export and API access of a table. */
export function TableTools({ table, parameters }: TableToolsProps) {
  const { help, transfer } = useStrings()
  const { role } = useUser()
  const query = new URLSearchParams(parameters)
  const [openDialog, setOpenDialog] = useState<'export' | 'api' | null>(null)
  return (
    <>
      {role === 'viewer' || table.readOnly ? null : (
        <Button component={Link} to="/tables/$tableId/import" params={{ tableId: table.id } as never} variant="default" size="xs">
          {transfer.importAction}
        </Button>
      )}
      <Button variant="default" size="xs" leftSection={<Icon name="file" size={15} />} onClick={() => setOpenDialog('export')}>
        {transfer.export}
      </Button>
      <Button variant="default" size="xs" leftSection={<Icon name="code" size={15} />} onClick={() => setOpenDialog('api')}>
        {help.api}
      </Button>
      <ApiDialog table={table} query={query} isOpen={openDialog === 'api'} close={() => setOpenDialog(null)} />
      <ExportDialog table={table} query={query} isOpen={openDialog === 'export'} close={() => setOpenDialog(null)} />
    </>
  )
}
