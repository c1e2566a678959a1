import { ActionIcon, Button, Menu } from '@mantine/core'
import { useState } from 'react'
import type { Group } from '../../../../../access/groups/model'
import type { User } from '../../../../../auth/model'
import { api, unwrap } from '../../../api/client'
import { refreshGroups } from '../../../api/groups-query'
import { userTitle } from '../../../api/users-query'
import { ConfirmDialog } from '../../../components/confirm-dialog'
import { CancelButton, Dialog } from '../../../components/dialog'
import { DialogNameField } from '../../../components/form/fields'
import { Form, type FormValues } from '../../../components/form/form'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'

const maxNames = 5

type GroupRowProps = { group: Group; users: readonly User[]; openMembers: () => void }

export function GroupRow({ group, users, openMembers }: GroupRowProps) {
  const { groups: words } = useStrings()
  const { name, members } = group
  const names = users.filter(({ id }) => members.includes(id)).map(userTitle)
  const shown = names.length > maxNames + 1 ? [...names.slice(0, maxNames), words.more(names.length - maxNames)] : names
  return (
    <li>
      <div>
        <h3>{name}</h3>
        <p className="facts">{[words.memberCount(members.length), ...(shown.length > 0 ? [shown.join(', ')] : [])].join(' · ')}</p>
      </div>
      <div className="row-actions">
        <Button variant="default" size="xs" aria-label={words.membersOf(name)} onClick={openMembers}>
          {words.members}
        </Button>
        <GroupActions group={group} />
      </div>
    </li>
  )
}

function GroupActions({ group: { id, name } }: { group: Group }) {
  const { groups: words, shell } = useStrings()
  const [openDialog, setOpenDialog] = useState<'rename' | 'delete' | null>(null)
  const close = () => setOpenDialog(null)
  const rename = async (values: FormValues) => {
    await unwrap(api.groups({ id }).patch({ name: values.name ?? '' }))
    await refreshGroups()
    close()
  }
  const remove = async () => {
    await unwrap(api.groups({ id }).delete())
    await refreshGroups()
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="transparent" color="gray" aria-label={words.actionsOf(name)}>
            <Icon name="more" size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setOpenDialog('rename')}>{words.rename}</Menu.Item>
          <Menu.Item color="var(--app-danger)" onClick={() => setOpenDialog('delete')}>
            {words.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog title={words.renameTitle(name)} isOpen={openDialog === 'rename'} close={close}>
        <Form action={shell.save} submit={rename} beside={<CancelButton close={close} />}>
          <DialogNameField label={words.name} name={name} />
        </Form>
      </Dialog>
      <ConfirmDialog
        isOpen={openDialog === 'delete'}
        close={close}
        title={words.deleteTitle(name)}
        text={words.deleteText}
        action={words.deleteAction}
        onConfirm={remove}
      />
    </>
  )
}
