import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Icon } from '../../components/icon'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'
import { InviteDialog } from './invite'
import { UserRow } from './user-row'
import { usersQuery } from './users-query'

export function UsersPage() {
  const { admin } = useStrings()
  useDocumentTitle(admin.users)
  const query = useQuery(usersQuery)
  const [isInviting, setInviting] = useState(false)
  const button = (
    <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => setInviting(true)}>
      {admin.invite}
    </Button>
  )
  return (
    <Panel title={admin.users} text={admin.usersText} action={button}>
      <Await query={query} lines={8}>
        {(users) => (
          <ul className="rows">
            {users.map((user) => (
              <UserRow key={user.id} user={user} />
            ))}
          </ul>
        )}
      </Await>
      <InviteDialog isOpen={isInviting} close={() => setInviting(false)} />
    </Panel>
  )
}
