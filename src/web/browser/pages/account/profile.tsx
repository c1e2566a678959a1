import { useState } from 'react'
import { api, unwrap } from '../../api/client'
import { patchUser } from '../../api/queries'
import { useUser } from '../../api/use-user'
import { TextField } from '../../components/form/fields'
import { Form, type FormValues } from '../../components/form/form'
import { Panel } from '../../components/panel'
import { useStrings } from '../../language'

export function Profile() {
  const { account, shell } = useStrings()
  const user = useUser()
  const [notice, setNotice] = useState('')
  const submit = async ({ name = '' }: FormValues) => {
    setNotice('')
    const changed = await unwrap(api.auth.me.patch({ name }))
    patchUser(changed.user)
    setNotice(shell.saved)
  }
  return (
    <Panel title={account.profile}>
      <dl className="pairs">
        <dt>{account.email}</dt>
        <dd>{user.email}</dd>
        <dt>{account.role}</dt>
        <dd>{account.roles[user.role]}</dd>
      </dl>
      <Form action={shell.save} submit={submit}>
        <TextField
          name="name"
          label={account.name}
          description={account.nameHelp}
          defaultValue={user.name}
          required
          withAsterisk={false}
          maxLength={100}
          autoComplete="name"
        />
        <p role="status" className="notice">
          {notice}
        </p>
      </Form>
    </Panel>
  )
}
