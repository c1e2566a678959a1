import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import type { Role } from '../../../../auth/model'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { usersQuery } from '../../api/users-query'
import { CopyField } from '../../components/code/copy-field'
import { CancelButton, Dialog } from '../../components/dialog'
import { TextField } from '../../components/form/fields'
import { Form, type FormValues } from '../../components/form/form'
import { useStrings } from '../../language'
import { formatTimestamp } from '../../values/format'

export type DisplayedInvite = { email: string; inviteUrl?: string; expiresAt?: string }

/** Adds a user without a password and shows the invitation link. */
export function InviteDialog({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { admin } = useStrings()
  const [link, setLink] = useState<DisplayedInvite | null>(null)
  const leave = () => {
    close()
    setLink(null)
  }
  return (
    <Dialog
      title={link ? admin.linkFor(link.email) : admin.inviteTitle}
      isOpen={isOpen}
      close={leave}
      size="lg"
      isShownOnce={link !== null}
    >
      {link ? <InviteLinkDialog link={link} close={leave} /> : <InviteForm close={leave} show={setLink} />}
    </Dialog>
  )
}

function InviteForm({ close, show }: { close: () => void; show: (link: DisplayedInvite) => void }) {
  const { admin } = useStrings()
  const submit = async ({ email = '', name, role }: FormValues) => {
    const created = await unwrap(api.users.post({ email, role: role as Role, ...(name ? { name } : {}) }))
    await queryClient.invalidateQueries(usersQuery)
    show({ ...created, email })
  }
  return (
    <Form action={admin.inviteAction} submit={submit} beside={<CancelButton close={close} />}>
      <TextField name="email" type="email" label={admin.email} required withAsterisk={false} autoComplete="off" data-autofocus />
      <TextField name="name" label={admin.name} maxLength={100} autoComplete="off" />
      <RoleField />
    </Form>
  )
}

export function RoleField() {
  const { admin } = useStrings()
  return (
    <Select
      name="role"
      label={admin.role}
      defaultValue="editor"
      allowDeselect={false}
      data={(['viewer', 'editor', 'admin'] as const).map((value) => ({ value, label: admin.roleHelp[value] }))}
    />
  )
}

/** A one-time link, shown only once. */
export function InviteLinkDialog({ link, close }: { link: DisplayedInvite; close: () => void }) {
  const { admin } = useStrings()
  return (
    <div className="form">
      <p>{admin.linkText(link.expiresAt ? formatTimestamp(link.expiresAt) : '')}</p>
      <CopyField label={admin.link} value={link.inviteUrl ?? ''} />
      <Button onClick={close}>{admin.done}</Button>
    </div>
  )
}
