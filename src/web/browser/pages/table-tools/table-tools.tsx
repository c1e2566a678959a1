import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import { useUser } from '../../session/use-user'
import { ApiDialog } from './api-dialog'
import { ExportDialog } from './export-dialog'

/** What leads out of a table and into it: CSV both ways, and the API. */
export function TableTools({ table }: { table: TableView }) {
  const { help, transfer } = useStrings()
  const { role } = useUser()
  const [shown, setShown] = useState<'export' | 'api' | null>(null)
  return (
    <>
      {role === 'viewer' || table.readOnly ? null : (
        <Button component={Link} to="/tables/$tableId/import" params={{ tableId: table.id } as never} variant="default" size="xs">
          {transfer.importAction}
        </Button>
      )}
      <Button variant="default" size="xs" leftSection={<Icon name="file" size={15} />} onClick={() => setShown('export')}>
        {transfer.export}
      </Button>
      <Button variant="default" size="xs" leftSection={<Icon name="code" size={15} />} onClick={() => setShown('api')}>
        {help.api}
      </Button>
      <ApiDialog table={table} isOpen={shown === 'api'} close={() => setShown(null)} />
      <ExportDialog table={table} isOpen={shown === 'export'} close={() => setShown(null)} />
    </>
  )
}
