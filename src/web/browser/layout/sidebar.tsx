import { ActionIcon, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { User } from '../../../auth/model'
import type { TableView } from '../../../tables/model'
import { tablesQuery } from '../api/queries'
import { Icon } from '../components/icon'
import { TableMark } from '../components/initials'
import { NewTableForm } from '../components/new-table'
import { Await } from '../components/query-state'
import { useStrings } from '../language'
import { tableColors } from '../values/table-colors'
import { TableMenu } from './table-menu'

/** The tables, grouped by schema, with a search field. @param choose called when a link is followed */
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

/** With fewer tables, scanning the list is faster than typing. */
const minTablesToSearch = 6

function TableList({ tables, isAdmin, choose }: { tables: TableView[]; isAdmin: boolean; choose: () => void }) {
  const { shell } = useStrings()
  const [text, setText] = useState('')
  const found = tables.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  const colors = tableColors(tables)
  const groups = Map.groupBy(found, ({ schema }) => schema)
  return (
    <>
      {tables.length < minTablesToSearch ? null : (
        <TextInput
          className="nav-search"
          size="xs"
          type="search"
          aria-label={shell.findTable}
          placeholder={shell.findTable}
          leftSection={<Icon name="search" size={15} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div className="nav-list">
        {[...groups].map(([schema, list]) => (
          <div key={schema}>
            {schema === 'data' ? null : <p className="nav-group">{schema}</p>}
            <ul aria-label={schema === 'data' ? shell.tables : schema}>
              {list.map((table) => (
                <li key={table.id} className="nav-item">
                  <Link to="/tables/$tableId" params={{ tableId: table.id }} className="nav-link" onClick={choose}>
                    <TableMark name={table.name} color={colors.get(table.id)} />
                    <span className="nav-name">{table.name}</span>
                  </Link>
                  {isAdmin && table.createdAt !== null ? <TableMenu table={table} /> : null}
                </li>
              ))}
            </ul>
          </div>
        ))}
        {tables.length > 0 && found.length === 0 ? <p className="nav-empty soft">{shell.noMatchingTables}</p> : null}
      </div>
    </>
  )
}
