import { Button, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Group } from '../../../../../access/groups/model'
import type { User } from '../../../../../auth/model'
import { toErrorMessage } from '../../../api/api-error'
import { api, unwrap } from '../../../api/client'
import { refreshGroups } from '../../../api/groups-query'
import { userTitle } from '../../../api/users-query'
import { Dialog } from '../../../components/dialog'
import { useStrings } from '../../../language'

/** The number of users that a list shows; the search finds the others. */
const maxShown = 50
/** With fewer members, scanning the list is faster than typing. */
const minToSearch = 9

type MembersProps = { group: Group; users: readonly User[] }

type MembersDialogProps = { group: Group | undefined; users: readonly User[]; isOpen: boolean; close: () => void }

/**
 * The members of a group. They are added and removed one by one, with immediate effect.
 * @param group undefined before the first group is opened, and after it was deleted
 */
export function GroupMembersDialog({ group, users, isOpen, close }: MembersDialogProps) {
  const { groups: words } = useStrings()
  return (
    <Dialog title={words.membersOf(group?.name ?? '')} isOpen={isOpen} close={close} size="lg">
      {group ? <GroupMembers key={group.id} group={group} users={users} /> : null}
    </Dialog>
  )
}

function GroupMembers({ group, users }: MembersProps) {
  const strings = useStrings()
  const { groups: words } = strings
  const change = useMutation({
    mutationFn: async ({ userId, isMember }: { userId: string; isMember: boolean }) => {
      const membership = api.groups({ id: group.id }).members({ userId })
      await unwrap(isMember ? membership.put() : membership.delete())
    },
    onSettled: refreshGroups,
  })
  const ids = new Set(group.members)
  return (
    <div className="form">
      <NewMember users={users.filter(({ id }) => !ids.has(id))} add={(userId) => change.mutate({ userId, isMember: true })} />
      <p role="alert" className="alert">
        {change.error ? toErrorMessage(change.error, strings) : ''}
      </p>
      {ids.size === 0 ? (
        <p className="soft">{words.noMembers}</p>
      ) : (
        <MemberList members={users.filter(({ id }) => ids.has(id))} remove={(userId) => change.mutate({ userId, isMember: false })} />
      )}
    </div>
  )
}

function NewMember({ users, add }: { users: readonly User[]; add: (userId: string) => void }) {
  const { groups: words } = useStrings()
  const [text, setText] = useState('')
  return (
    <Select
      label={words.add}
      description={words.addHelp}
      data={users.map((user) => ({ value: user.id, label: labelOf(user, words.serviceUser) }))}
      searchable
      selectFirstOptionOnChange
      openOnFocus={false}
      limit={maxShown}
      nothingFoundMessage={words.nobody}
      value={null}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => {
        setText('')
        if (id) add(id)
      }}
      data-autofocus
    />
  )
}

function MemberList({ members, remove }: { members: readonly User[]; remove: (userId: string) => void }) {
  const { groups: words } = useStrings()
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const found = members.filter((user) => labelOf(user, words.serviceUser).toLowerCase().includes(wanted))
  return (
    <>
      {members.length < minToSearch ? null : (
        <TextInput type="search" label={words.find} value={text} onChange={(event) => setText(event.currentTarget.value)} />
      )}
      <ul className="rows" aria-label={words.members}>
        {found.slice(0, maxShown).map((user) => (
          <li key={user.id}>
            <div>
              {userTitle(user)}
              <p className="facts">{user.kind === 'service' ? words.serviceUser : user.email}</p>
            </div>
            <Button variant="default" size="xs" aria-label={words.removeOf(userTitle(user))} onClick={() => remove(user.id)}>
              {words.remove}
            </Button>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p className="soft">{words.noMatch}</p> : null}
      {found.length > maxShown ? <p className="soft">{words.moreMembers(found.length - maxShown)}</p> : null}
    </>
  )
}

const labelOf = (user: User, serviceUser: string) => `${userTitle(user)} (${user.kind === 'service' ? serviceUser : user.email})`
