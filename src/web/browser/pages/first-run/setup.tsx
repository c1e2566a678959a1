import { Button } from '@mantine/core'
import { Link, useNavigate, useRouteContext } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../../api/client'
import { startSession } from '../../api/queries'
import { TextField } from '../../components/form/fields'
import { Form, type FormValues } from '../../components/form/form'
import { NewPasswordField } from '../../components/form/new-password'
import { useStrings } from '../../language'
import { GuestPage } from '../../layout/guest'
import { setupCode } from '../../session/url-secrets'

export function SetupPage() {
  const { entry } = useStrings()
  const { isNeeded } = useRouteContext({ from: '/setup' })
  if (!isNeeded) return <SetupDone />
  return (
    <GuestPage title={entry.setup} introduction={entry.setupIntroduction}>
      <SetupForm />
    </GuestPage>
  )
}

function SetupForm() {
  const { entry } = useStrings()
  const navigate = useNavigate()
  const [owner, setOwner] = useState({ email: '', name: '' })
  const submit = async ({ email = '', name, password = '', code }: FormValues) => {
    const { user } = await unwrap(api.auth.setup.post({ email, password, code, ...(name ? { name } : {}) }))
    startSession(user)
    await navigate({ to: '/' })
  }
  const edit = (field: keyof typeof owner) => (event: { currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget
    setOwner((before) => ({ ...before, [field]: value }))
  }
  return (
    <Form action={entry.setupAction} submit={submit} isWide>
      <TextField
        name="email"
        type="email"
        label={entry.email}
        required
        withAsterisk={false}
        autoComplete="username"
        maxLength={254}
        autoFocus
        onChange={edit('email')}
      />
      <TextField name="name" label={entry.nameOptional} autoComplete="name" maxLength={100} onChange={edit('name')} />
      <NewPasswordField name="password" label={entry.password} owner={owner} />
      <TextField
        name="code"
        label={entry.code}
        description={setupCode ? entry.codeFromLink : entry.codeHelp}
        defaultValue={setupCode}
        required
        withAsterisk={false}
        autoComplete="off"
        spellCheck={false}
      />
    </Form>
  )
}

function SetupDone() {
  const { entry } = useStrings()
  return (
    <GuestPage title={entry.setupDone} introduction={entry.setupDoneText}>
      <Button component={Link} to="/sign-in">
        {entry.goToSignIn}
      </Button>
    </GuestPage>
  )
}
