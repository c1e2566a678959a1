import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Group } from '../../../../../access/groups/model'
import { api, unwrap } from '../../../api/client'
import { groupsQuery, refreshGroups } from '../../../api/groups-query'
import { usersQuery } from '../../../api/users-query'
import { CancelButton, Dialog } from '../../../components/dialog'
import { DialogNameField } from '../../../components/form/fields'
import { Form, type FormValues } from '../../../components/form/form'
import { Icon } from '../../../components/icon'
import { Panel } from '../../../components/panel'
import { Await, EmptyState } from '../../../components/query-state'
import { useStrings } from '../../../language'
import { useDocumentTitle } from '../../../layout/page'
import { GroupMembersDialog } from './group-members'
import { GroupRow } from './group-row'

/** The groups. Creating one opens the choice of its members. */
export function GroupsPage() {
  const { groups: words } = useStrings()
  useDocumentTitle(words.title)
  const query = useQuery(groupsQuery)
  const { data: users = [] } = useQuery(usersQuery)
  const [openDialog, setOpenDialog] = useState<'create' | 'members' | null>(null)
  const [openId, setOpenId] = useState<string | null>(null)
  const close = () => setOpenDialog(null)
  const openMembers = ({ id }: Group) => {
    setOpenId(id)
    setOpenDialog('members')
  }
  const button = (
    <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => setOpenDialog('create')}>
      {words.create}
    </Button>
  )
  return (
    <Panel title={words.title} text={words.text} action={button}>
      <Await query={query} lines={6}>
        {(groups) =>
          groups.length === 0 ? (
            <EmptyState icon="user" title={words.none} text={words.noneText} />
          ) : (
            <ul className="rows">
              {groups.map((group) => (
                <GroupRow key={group.id} group={group} users={users} openMembers={() => openMembers(group)} />
              ))}
            </ul>
          )
        }
      </Await>
      <NewGroupDialog isOpen={openDialog === 'create'} close={close} created={openMembers} />
      <GroupMembersDialog
        group={query.data?.find(({ id }) => id === openId)}
        users={users}
        isOpen={openDialog === 'members'}
        close={close}
      />
    </Panel>
  )
}

type NewGroupProps = { isOpen: boolean; close: () => void; created: (group: Group) => void }

function NewGroupDialog({ isOpen, close, created }: NewGroupProps) {
  const { groups: words } = useStrings()
  const submit = async ({ name = '' }: FormValues) => {
    const group = await unwrap(api.groups.post({ name }))
    await refreshGroups()
    created(group)
  }
  return (
    <Dialog title={words.createTitle} isOpen={isOpen} close={close}>
      <Form action={words.createAction} submit={submit} beside={<CancelButton close={close} />}>
        <DialogNameField label={words.name} />
      </Form>
    </Dialog>
  )
}
