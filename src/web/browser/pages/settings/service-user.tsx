import type { Role, User } from '../../../../auth/model'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { usersQuery } from '../../api/users-query'
import { CancelButton, Dialog } from '../../components/dialog'
import { TextField } from '../../components/form/fields'
import { Form, type FormValues } from '../../components/form/form'
import { useStrings } from '../../language'
import { RoleField } from './invite'

type ServiceUserProps = { isOpen: boolean; close: () => void; created: (user: User) => void }

/** Adds a service user: the owner of the API tokens of an automation. */
export function ServiceUserDialog({ isOpen, close, created }: ServiceUserProps) {
  const { admin, groups: words } = useStrings()
  const submit = async ({ name = '', role }: FormValues) => {
    const { user } = await unwrap(api.users.post({ kind: 'service', name, role: role as Role }))
    await queryClient.invalidateQueries(usersQuery)
    close()
    created(user)
  }
  return (
    <Dialog title={words.addService} isOpen={isOpen} close={close} size="lg">
      <Form action={words.addServiceAction} submit={submit} beside={<CancelButton close={close} />}>
        <p>{words.addServiceText}</p>
        <TextField
          name="name"
          label={admin.name}
          description={words.serviceNameHelp}
          required
          withAsterisk={false}
          maxLength={100}
          autoComplete="off"
          data-autofocus
        />
        <RoleField />
      </Form>
    </Dialog>
  )
}
