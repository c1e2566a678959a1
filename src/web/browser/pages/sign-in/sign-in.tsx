import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { api, take } from '../../api/client'
import { enter } from '../../api/queries'
import { PasswordField, TextField } from '../../components/fields'
import { Form, type Values } from '../../components/form'
import { useStrings } from '../../language'
import { Guest } from '../../layout/guest'
import { isOutside, nextPage } from '../../session/next-page'

export function SignInPage() {
  const { entry } = useStrings()
  const proceed = useProceed()
  const submit = async ({ email = '', password = '' }: Values) => {
    const { user } = await take(api.auth.login.post({ email, password }))
    enter(user)
    await proceed()
  }
  return (
    <Guest title={entry.signIn} introduction={entry.signInIntroduction}>
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
    </Guest>
  )
}

/** On to the page that was asked for, else to the tables. */
function useProceed(): () => Promise<void> {
  const navigate = useNavigate()
  const router = useRouter()
  const { next } = useSearch({ from: '/sign-in' })
  return async () => {
    const path = nextPage(next, location.origin)
    if (isOutside(path)) return location.replace(path)
    if (path === '/') return navigate({ to: '/', replace: true })
    router.history.replace(path)
  }
}
