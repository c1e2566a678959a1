import { ActionIcon, Menu, Select } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role, User } from '../../../../auth/model'
import { toErrorMessage } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { ConfirmDialog } from '../../components/confirm-dialog'
import { Dialog } from '../../components/dialog'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import { useUser } from '../../session/use-user'
import { formatAgo, formatDate } from '../../values/format'
import { type DisplayedInvite, InviteLinkDialog } from './invite'
import { UserTokensDialog } from './user-tokens'
import { usersQuery } from './users-query'

const refresh = () => queryClient.invalidateQueries(usersQuery)

/** One user. A rejected change, such as removing the last administrator, shows its error in the row. */
export function UserRow({ user }: { user: User }) {
  const strings = useStrings()
  const { account, admin } = strings
  const isMe = useUser().id === user.id
  const change = useMutation({
    mutationFn: (patch: { role?: Role; disabled?: boolean }) => unwrap(api.users({ id: user.id }).patch(patch)),
    onSettled: refresh,
  })
  const end = useMutation({ mutationFn: () => unwrap(api.users({ id: user.id }).sessions.delete()) })
  const failure = change.error ?? end.error
  const facts = [
    ...(user.name ? [user.email] : []),
    admin.since(formatDate(user.createdAt)),
    user.lastLoginAt ? admin.lastLogin(formatAgo(user.lastLoginAt, Date.now())) : admin.neverSignedIn,
  ]
  return (
    <li>
      <div>
        <h3>
          {user.name || user.email} {isMe ? <span className="badge">{admin.you}</span> : null}{' '}
          {user.disabled ? <span className="badge is-warning">{admin.disabled}</span> : null}
        </h3>
        <p className="facts">{facts.join(' · ')}</p>
        <p role="alert" className="alert">
          {failure ? toErrorMessage(failure, strings) : ''}
        </p>
        <p role="status" className="notice">
          {end.isSuccess ? admin.signedOut(user.email) : ''}
        </p>
      </div>
      <div className="row-actions">
        <Select
          size="xs"
          w={150}
          aria-label={admin.roleOf(user.email)}
          value={user.role}
          allowDeselect={false}
          onChange={(role) => change.mutate({ role: role as Role })}
          data={(['viewer', 'editor', 'admin'] as const).map((value) => ({ value, label: account.roles[value] }))}
        />
        <UserActions user={user} setDisabled={(disabled) => change.mutate({ disabled })} signOut={() => end.mutate()} />
      </div>
    </li>
  )
}

type ActionsProps = { user: User; setDisabled: (disabled: boolean) => void; signOut: () => void }

function UserActions({ user, setDisabled, signOut }: ActionsProps) {
  const { admin } = useStrings()
  const [openDialog, setOpenDialog] = useState<'reset' | 'delete' | 'tokens' | null>(null)
  const [link, setLink] = useState<DisplayedInvite | null>(null)
  const close = () => setOpenDialog(null)
  const one = api.users({ id: user.id })
  const reset = async () => {
    setLink({ email: user.email, ...(await unwrap(one.reset.post())) })
    await refresh()
  }
  const remove = async () => {
    await unwrap(one.delete())
    await refresh()
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="transparent" color="gray" aria-label={admin.actionsOf(user.email)}>
            <Icon name="more" size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setOpenDialog('reset')}>{admin.reset}</Menu.Item>
          <Menu.Item onClick={() => setOpenDialog('tokens')}>{admin.showTokens}</Menu.Item>
          <Menu.Item onClick={signOut}>{admin.signOut}</Menu.Item>
          <Menu.Item onClick={() => setDisabled(!user.disabled)}>{user.disabled ? admin.enable : admin.disable}</Menu.Item>
          <Menu.Item color="var(--app-danger)" onClick={() => setOpenDialog('delete')}>
            {admin.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={openDialog === 'reset'}
        close={close}
        title={admin.resetTitle(user.email)}
        text={admin.resetText}
        action={admin.resetAction}
        onConfirm={reset}
      />
      <ConfirmDialog
        isOpen={openDialog === 'delete'}
        close={close}
        title={admin.deleteTitle(user.email)}
        text={admin.deleteText}
        action={admin.deleteAction}
        name={user.email}
        onConfirm={remove}
      />
      <UserTokensDialog user={user} isOpen={openDialog === 'tokens'} close={close} />
      <Dialog title={admin.linkFor(user.email)} isOpen={link !== null} close={() => setLink(null)} size="lg" isShownOnce>
        {link ? <InviteLinkDialog link={link} close={() => setLink(null)} /> : null}
      </Dialog>
    </>
  )
}
