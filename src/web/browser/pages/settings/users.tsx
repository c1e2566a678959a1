import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../../auth/model'
import { usersQuery } from '../../api/users-query'
import { Icon } from '../../components/icon'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'
import { InviteDialog } from './invite'
import { ServiceUserDialog } from './service-user'
import { UserRow } from './user-row'
import { UserTokensDialog } from './user-tokens'

export function UsersPage() {
  const { admin, groups } = useStrings()
  useDocumentTitle(admin.users)
  const query = useQuery(usersQuery)
  const [openDialog, setOpenDialog] = useState<'invite' | 'service' | 'tokens' | null>(null)
  const [created, setCreated] = useState<User>()
  const close = () => setOpenDialog(null)
  const buttons = (
    <Group gap="xs">
      {(['service', 'invite'] as const).map((dialog) => (
        <Button key={dialog} variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => setOpenDialog(dialog)}>
          {dialog === 'invite' ? admin.invite : groups.addService}
        </Button>
      ))}
    </Group>
  )
  return (
    <Panel title={admin.users} text={admin.usersText} action={buttons}>
      <Await query={query} lines={8}>
        {(users) => (
          <ul className="rows">
            {users.map((user) => (
              <UserRow key={user.id} user={user} />
            ))}
          </ul>
        )}
      </Await>
      <InviteDialog isOpen={openDialog === 'invite'} close={close} />
      <ServiceUserDialog
        isOpen={openDialog === 'service'}
        close={close}
        created={(user) => {
          setCreated(user)
          setOpenDialog('tokens')
        }}
      />
      <UserTokensDialog user={created} isOpen={openDialog === 'tokens'} close={close} />
    </Panel>
  )
}
