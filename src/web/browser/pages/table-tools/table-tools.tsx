import { ActionIcon, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { Icon } from '../../components/icon'
import { LazyMenu } from '../../components/lazy-menu'
import { useStrings } from '../../language'
import { useUser } from '../../session/use-user'
import { ApiDialog } from './api-dialog'
import { ExportDialog } from './export-dialog'

type TableToolsProps = {
  table: TableView
  /** The query string of the displayed list. */
  parameters: string
  /** Further items, before those of the table. */
  children?: ReactNode
}

/** The menu of a table: import, export and API access. */
export function TableTools({ table, parameters, children }: TableToolsProps) {
  const { help, transfer } = useStrings()
  const { role } = useUser()
  const query = new URLSearchParams(parameters)
  const [openDialog, setOpenDialog] = useState<'export' | 'api' | null>(null)
  return (
    <>
      <LazyMenu
        button={
          <ActionIcon variant="subtle" color="gray" size={30} aria-label={transfer.more} title={transfer.more}>
            <Icon name="more" size={17} />
          </ActionIcon>
        }
      >
        {children}
        {role === 'viewer' || table.readOnly ? null : (
          <Menu.Item
            component={Link}
            to="/tables/$tableId/import"
            params={{ tableId: table.id } as never}
            leftSection={<Icon name="upload" size={16} />}
          >
            {transfer.importAction}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Icon name="download" size={16} />} onClick={() => setOpenDialog('export')}>
          {transfer.export}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="code" size={16} />} onClick={() => setOpenDialog('api')}>
          {help.api}
        </Menu.Item>
      </LazyMenu>
      <ApiDialog table={table} query={query} isOpen={openDialog === 'api'} close={() => setOpenDialog(null)} />
      <ExportDialog table={table} query={query} isOpen={openDialog === 'export'} close={() => setOpenDialog(null)} />
    </>
  )
}
