import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { Role } from '../../../../auth/model'
import { api, take } from '../../api/client'
import { queryClient } from '../../api/queries'
import { Copyable } from '../../components/copy-field'
import { CancelButton, Dialog } from '../../components/dialog'
import { TextField } from '../../components/fields'
import { Form, type Values } from '../../components/form'
import { useStrings } from '../../language'
import { formatMoment } from '../../values/format'
import { usersQuery } from './users-query'

export type Link = { email: string; inviteUrl?: string; expiresAt?: string }

/** Adds a user without a password, and shows the link by which they choose one. */
export function Invite({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { admin } = useStrings()
  const [link, setLink] = useState<Link | null>(null)
  const leave = () => {
    close()
    setLink(null)
  }
  return (
    <Dialog title={link ? admin.linkFor(link.email) : admin.inviteTitle} isOpen={isOpen} close={leave} size="lg">
      {link ? <ShownLink link={link} close={leave} /> : <InviteForm close={leave} show={setLink} />}
    </Dialog>
  )
}

function InviteForm({ close, show }: { close: () => void; show: (link: Link) => void }) {
  const { admin } = useStrings()
  const submit = async ({ email = '', name, role }: Values) => {
    const made = await take(api.users.post({ email, role: role as Role, ...(name ? { name } : {}) }))
    await queryClient.invalidateQueries(usersQuery)
    show({ ...made, email })
  }
  return (
    <Form action={admin.inviteAction} submit={submit} beside={<CancelButton close={close} />}>
      <TextField name="email" type="email" label={admin.email} required withAsterisk={false} autoComplete="off" data-autofocus />
      <TextField name="name" label={admin.name} maxLength={100} autoComplete="off" />
      <NativeSelect
        name="role"
        label={admin.role}
        defaultValue="editor"
        data={(['viewer', 'editor', 'admin'] as const).map((value) => ({ value, label: admin.roleHelp[value] }))}
      />
    </Form>
  )
}

/** A link that works once. It is shown now, and never again. */
export function ShownLink({ link, close }: { link: Link; close: () => void }) {
  const { admin } = useStrings()
  return (
    <div className="form">
      <p>{admin.linkText(link.expiresAt ? formatMoment(link.expiresAt) : '')}</p>
      <Copyable label={admin.link} value={link.inviteUrl ?? ''} />
      <Button onClick={close}>{admin.done}</Button>
    </div>
  )
}
