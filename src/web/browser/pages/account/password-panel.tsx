import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import { api, unwrap } from '../../api/client'
import { queryClient, sessionsQuery, tokensQuery } from '../../api/queries'
import { useUser } from '../../api/use-user'
import { PasswordField } from '../../components/form/fields'
import { Form, type FormValues } from '../../components/form/form'
import { NewPasswordField } from '../../components/form/new-password'
import { Panel } from '../../components/panel'
import { useStrings } from '../../language'

export function PasswordPanel() {
  const { account } = useStrings()
  const user = useUser()
  const [changes, setChanges] = useState(0)
  const submit = async ({ currentPassword = '', newPassword = '', revokeTokens }: FormValues) => {
    await unwrap(api.auth.password.post({ currentPassword, newPassword, revokeTokens: revokeTokens === 'on' }))
    setChanges((before) => before + 1)
    await Promise.all([queryClient.invalidateQueries(sessionsQuery), queryClient.invalidateQueries(tokensQuery)])
  }
  return (
    <Panel title={account.password} text={account.passwordHelp}>
      {/* A new key after each change, so that no password stays in the form. */}
      <Form key={changes} action={account.changePassword} submit={submit}>
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        <PasswordField name="currentPassword" label={account.currentPassword} />
        <NewPasswordField name="newPassword" label={account.newPassword} owner={user} />
        <Checkbox name="revokeTokens" label={account.revokeTokens} />
      </Form>
      <p role="status" className="notice">
        {changes > 0 ? account.passwordChanged : ''}
      </p>
    </Panel>
  )
}
