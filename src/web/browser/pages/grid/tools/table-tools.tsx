import { ActionIcon, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { useUser } from '../../../api/use-user'
import { useIsViewing } from '../../../api/view-as'
import { Icon, type IconName } from '../../../components/icon'
import { LazyMenu } from '../../../components/lazy-menu'
import { useStrings } from '../../../language'
import { ApiDialog } from './api-dialog'
import { ExportDialog } from './export-dialog'
import { ShareListDialog } from './share-list-dialog'

type TableToolsProps = {
  table: TableView
  /** The query string of the displayed list. */
  parameters: string
  /** Undefined for the user's own view. */
  viewName: string | undefined
  /** Further items, before those of the table. */
  children?: ReactNode
}

/** The menu of a table: import, export and API access. */
export function TableTools({ table, parameters, viewName, children }: TableToolsProps) {
  const { access, forms, help, history, links, transfer } = useStrings()
  const { role } = useUser()
  const isViewing = useIsViewing()
  const query = new URLSearchParams(parameters)
  const [openDialog, setOpenDialog] = useState<'export' | 'api' | 'share' | null>(null)
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
        {table.can.create ? <TablePageItem table={table} page="import" icon="upload" label={transfer.importAction} /> : null}
        {role === 'admin' ? (
          <>
            <TablePageItem table={table} page="forms" icon="text" label={forms.menu} />
            <Menu.Item
              leftSection={<Icon name="eye" size={16} />}
              renderRoot={(props) => <Link {...props} to="/settings/access" search={{ table: table.id }} />}
            >
              {access.ofTable}
            </Menu.Item>
          </>
        ) : null}
        <Menu.Item leftSection={<Icon name="download" size={16} />} onClick={() => setOpenDialog('export')}>
          {transfer.export}
        </Menu.Item>
        {isViewing ? null : (
          <Menu.Item leftSection={<Icon name="share" size={16} />} onClick={() => setOpenDialog('share')}>
            {links.share}
          </Menu.Item>
        )}
        {table.primaryKey.length > 0 ? (
          <>
            <TablePageItem table={table} page="history" icon="clock" label={history.recent} />
            <TablePageItem table={table} page="trash" icon="trash" label={history.trash} />
          </>
        ) : null}
        <Menu.Item leftSection={<Icon name="code" size={16} />} onClick={() => setOpenDialog('api')}>
          {help.api}
        </Menu.Item>
      </LazyMenu>
      <ApiDialog table={table} query={query} isOpen={openDialog === 'api'} close={() => setOpenDialog(null)} />
      <ExportDialog
        table={table}
        query={query}
        fileName={viewName === undefined ? table.name : `${table.name} – ${viewName}`}
        isOpen={openDialog === 'export'}
        close={() => setOpenDialog(null)}
      />
      <ShareListDialog table={table} query={query} isOpen={openDialog === 'share'} close={() => setOpenDialog(null)} />
    </>
  )
}

type TablePageItemProps = { table: TableView; page: 'import' | 'forms' | 'history' | 'trash'; icon: IconName; label: string }

const TablePageItem = ({ table, page, icon, label }: TablePageItemProps) => (
  <Menu.Item
    component={Link}
    to={`/tables/$tableId/${page}`}
    params={{ tableId: table.id } as never}
    leftSection={<Icon name={icon} size={16} />}
  >
    {label}
  </Menu.Item>
)
