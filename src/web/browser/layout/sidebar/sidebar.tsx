import { ActionIcon } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { User } from '../../../../auth/model'
import { tablesQuery } from '../../api/queries'
import { Icon } from '../../components/icon'
import { NewTableForm } from '../../components/new-table'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { TableList } from './table-list'

/** The tables and the documents. @param choose called when a link is followed */
export function Sidebar({ user, choose = () => {} }: { user: User; choose?: () => void }) {
  const { documents, shell, tables: words } = useStrings()
  const query = useQuery(tablesQuery)
  const [isCreating, { open, close }] = useDisclosure(false)
  return (
    <div className="nav">
      <div className="nav-head">
        <Link to="/" className="nav-title" onClick={choose} activeOptions={{ exact: true }}>
          {shell.tables}
        </Link>
        {user.role === 'admin' ? (
          <ActionIcon variant="subtle" color="gray" aria-label={words.create} title={words.create} onClick={open}>
            <Icon name="plus" />
          </ActionIcon>
        ) : null}
      </div>
      <Await query={query} lines={6}>
        {(tables) => <TableList tables={tables} isAdmin={user.role === 'admin'} choose={choose} />}
      </Await>
      <div className="nav-foot">
        <div className="nav-item">
          <Link to="/documents" className="nav-link" onClick={choose}>
            <Icon name="file" size={16} />
            <span className="nav-name">{documents.title}</span>
          </Link>
        </div>
      </div>
      <NewTableForm isOpen={isCreating} close={close} done={choose} />
    </div>
  )
}
