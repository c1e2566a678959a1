import { Button } from '@mantine/core'
import { useNavigate, useRouteContext, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toErrorMessage } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { startSession } from '../../api/queries'
import { finishSignOut } from '../../api/sign-out'
import { PasswordField, TextField } from '../../components/form/fields'
import { Form, type FormValues } from '../../components/form/form'
import { useStrings } from '../../language'
import { GuestPage } from '../../layout/guest'
import { isServerPage, nextPage } from '../../session/next-page'

export function SignInPage() {
  const { failure } = useRouteContext({ from: '/sign-in' })
  return failure ? <FailedSignOut failure={failure} /> : <SignIn />
}

function FailedSignOut({ failure }: { failure: unknown }) {
  const strings = useStrings()
  const router = useRouter()
  return (
    <GuestPage title={strings.shell.signOut}>
      <p role="alert" className="alert">
        {toErrorMessage(failure, strings)}
      </p>
      <Button onClick={() => void router.invalidate()}>{strings.shell.tryAgain}</Button>
    </GuestPage>
  )
}

function SignIn() {
  const { entry } = useStrings()
  useEffect(finishSignOut, [])
  const proceed = useContinue()
  const submit = async ({ email = '', password = '' }: FormValues) => {
    const { user } = await unwrap(api.auth.login.post({ email, password }))
    startSession(user)
    await proceed()
  }
  return (
    <GuestPage title={entry.signIn} introduction={entry.signInIntroduction}>
      <Form action={entry.signIn} submit={submit} isWide>
        <TextField
          name="email"
          type="email"
          label={entry.email}
          required
          withAsterisk={false}
          autoComplete="username"
          maxLength={254}
          autoFocus
        />
        <PasswordField name="password" label={entry.password} />
      </Form>
    </GuestPage>
  )
}

/** Continues to the requested page. */
function useContinue(): () => Promise<void> {
  const navigate = useNavigate()
  const router = useRouter()
  const { next } = useSearch({ from: '/sign-in' })
  return async () => {
    const path = nextPage(next, location.origin)
    if (isServerPage(path)) return location.replace(path)
    if (path === '/') return navigate({ to: '/', replace: true })
    router.history.replace(path)
  }
}
