import { ActionIcon, Menu, Select } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role, UserWithGroups } from '../../../../auth/model'
import { toErrorMessage } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { useUser } from '../../api/use-user'
import { userLabel, usersQuery, userTitle } from '../../api/users-query'
import { canBeViewed, startViewAs } from '../../api/view-as'
import { ConfirmDialog } from '../../components/confirm-dialog'
import { Dialog } from '../../components/dialog'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import { formatAgo, formatDate } from '../../values/format'
import { type DisplayedInvite, InviteLinkDialog } from './invite'
import { UserTokensDialog } from './user-tokens'

const refresh = () => queryClient.invalidateQueries(usersQuery)

/** One user. A rejected change, such as removing the last administrator, shows its error in the row. */
export function UserRow({ user }: { user: UserWithGroups }) {
  const strings = useStrings()
  const { account, admin, groups } = strings
  const isService = user.kind === 'service'
  const label = userLabel(user)
  const isMe = useUser().id === user.id
  const change = useMutation({
    mutationFn: (patch: { role?: Role; disabled?: boolean }) => unwrap(api.users({ id: user.id }).patch(patch)),
    onSettled: refresh,
  })
  const view = useMutation({ mutationFn: () => startViewAs(user.id) })
  const end = useMutation({ mutationFn: () => unwrap(api.users({ id: user.id }).sessions.delete()) })
  const failure = change.error ?? end.error ?? view.error
  const facts = [
    ...(user.name && !isService ? [user.email] : []),
    admin.since(formatDate(user.createdAt)),
    ...(isService ? [] : [user.lastLoginAt ? admin.lastLogin(formatAgo(user.lastLoginAt, Date.now())) : admin.neverSignedIn]),
  ]
  return (
    <li>
      <div>
        <h3>
          {userTitle(user)} {isMe ? <span className="badge">{admin.you}</span> : null}{' '}
          {isService ? <span className="badge">{groups.serviceUser}</span> : null}{' '}
          {user.disabled ? <span className="badge is-warning">{admin.disabled}</span> : null}
        </h3>
        <p className="facts">{facts.join(' · ')}</p>
        {user.groups.length > 0 ? <p className="facts">{groups.groupsOf(user.groups.join(', '))}</p> : null}
        <p role="alert" className="alert">
          {failure ? toErrorMessage(failure, strings) : ''}
        </p>
        <p role="status" className="notice">
          {end.isSuccess ? admin.signedOut(label) : ''}
        </p>
      </div>
      <div className="row-actions">
        <Select
          size="xs"
          w={150}
          aria-label={admin.roleOf(label)}
          value={user.role}
          allowDeselect={false}
          onChange={(role) => change.mutate({ role: role as Role })}
          data={(['viewer', 'editor', 'admin'] as const).map((value) => ({ value, label: account.roles[value] }))}
        />
        <UserActions
          user={user}
          setDisabled={(disabled) => change.mutate({ disabled })}
          signOut={() => end.mutate()}
          view={() => view.mutate()}
        />
      </div>
    </li>
  )
}

type ActionsProps = { user: UserWithGroups; setDisabled: (disabled: boolean) => void; signOut: () => void; view: () => void }

function UserActions({ user, setDisabled, signOut, view }: ActionsProps) {
  const { access, admin } = useStrings()
  const [openDialog, setOpenDialog] = useState<'reset' | 'delete' | 'tokens' | null>(null)
  const [link, setLink] = useState<DisplayedInvite | null>(null)
  const close = () => setOpenDialog(null)
  const label = userLabel(user)
  const isPerson = user.kind === 'person'
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
          <ActionIcon variant="transparent" color="gray" aria-label={admin.actionsOf(label)}>
            <Icon name="more" size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isPerson && !user.disabled ? <Menu.Item onClick={() => setOpenDialog('reset')}>{admin.reset}</Menu.Item> : null}
          <Menu.Item onClick={() => setOpenDialog('tokens')}>{admin.showTokens}</Menu.Item>
          {canBeViewed(user) ? <Menu.Item onClick={view}>{access.lookAs}</Menu.Item> : null}
          {isPerson ? <Menu.Item onClick={signOut}>{admin.signOut}</Menu.Item> : null}
          <Menu.Item onClick={() => setDisabled(!user.disabled)}>{user.disabled ? admin.enable : admin.disable}</Menu.Item>
          <Menu.Item color="var(--app-danger)" onClick={() => setOpenDialog('delete')}>
            {admin.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={openDialog === 'reset'}
        close={close}
        title={admin.resetTitle(label)}
        text={admin.resetText}
        action={admin.resetAction}
        onConfirm={reset}
      />
      <ConfirmDialog
        isOpen={openDialog === 'delete'}
        close={close}
        title={admin.deleteTitle(label)}
        text={admin.deleteText}
        action={admin.deleteAction}
        name={label}
        onConfirm={remove}
      />
      <UserTokensDialog user={user} isOpen={openDialog === 'tokens'} close={close} />
      <Dialog title={admin.linkFor(user.email)} isOpen={link !== null} close={() => setLink(null)} size="lg" isShownOnce>
        {link ? <InviteLinkDialog link={link} close={() => setLink(null)} /> : null}
      </Dialog>
    </>
  )
}
