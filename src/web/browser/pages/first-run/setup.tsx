import { Button } from '@mantine/core'
import { Link, useNavigate, useRouteContext } from '@tanstack/react-router'
import { useState } from 'react'
import { api, take } from '../../api/client'
import { enter } from '../../api/queries'
import { TextField } from '../../components/fields'
import { Form, type Values } from '../../components/form'
import { NewPassword } from '../../components/new-password'
import { useStrings } from '../../language'
import { Guest } from '../../layout/guest'
import { setupCode } from '../../session/url-secrets'

export function SetupPage() {
  const { entry } = useStrings()
  const { isNeeded } = useRouteContext({ from: '/setup' })
  if (!isNeeded) return <SetupDone />
  return (
    <Guest title={entry.setup} introduction={entry.setupIntroduction}>
      <SetupForm />
    </Guest>
  )
}

function SetupForm() {
  const { entry } = useStrings()
  const navigate = useNavigate()
  const [owner, setOwner] = useState({ email: '', name: '' })
  const submit = async ({ email = '', name, password = '', code }: Values) => {
    const { user } = await take(api.auth.setup.post({ email, password, code, ...(name ? { name } : {}) }))
    enter(user)
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
      <NewPassword name="password" label={entry.password} owner={owner} />
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
    <Guest title={entry.setupDone} introduction={entry.setupDoneText}>
      <Button component={Link} to="/sign-in">
        {entry.goToSignIn}
      </Button>
    </Guest>
  )
}
