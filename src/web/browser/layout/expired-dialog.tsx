import { Button, Modal, TextInput } from '@mantine/core'
import { useEffect, useSyncExternalStore } from 'react'
import { toApiError } from '../api/api-error'
import { cachedSession, requestSessionEnd } from '../api/queries'
import { isSessionExpired, resolveSignIn, subscribeToSessionExpiry } from '../api/session-expiry'
import { PasswordField } from '../components/form/fields'
import { Form, type FormValues } from '../components/form/form'
import { useLazyMount } from '../components/use-lazy-mount'
import { useStrings } from '../language'
import { useTypingPause } from './use-typing-pause'

/**
 * The session has expired: asks for the password when the user pauses typing. Unsaved input stays under the dialog, and
 * waiting requests continue afterwards.
 */
export function SessionExpiredDialog() {
  const { entry } = useStrings()
  const { isPaused, wasTyping } = useTypingPause(useSyncExternalStore(subscribeToSessionExpiry, isSessionExpired))
  const { isMounted, isShown } = useLazyMount(isPaused)
  const session = cachedSession()
  const isViewed = session?.viewedBy !== undefined
  // An administrator who views the service as this user has to sign in as themselves, and then sees other data.
  useEffect(() => {
    if (isPaused && isViewed) location.reload()
  }, [isPaused, isViewed])
  if (!isMounted || isViewed) return null
  const email = session?.user.email ?? ''
  const submit = async ({ password = '' }: FormValues) => {
    // `fetch` instead of `api`: this request must not wait for the dialog.
    const body = JSON.stringify({ email, password })
    const response = await fetch('/api/v1/auth/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    if (!response.ok) throw await toApiError(response)
    resolveSignIn(true)
  }
  return (
    <Modal
      opened={isShown}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={entry.expired}
    >
      <Form action={entry.signIn} submit={submit} beside={<SwitchUserButton />}>
        {/* Keys that the user is still typing must not go into the password field. */}
        <p className="soft" tabIndex={-1} data-autofocus={wasTyping || undefined}>
          {entry.expiredText}
        </p>
        <TextInput name="email" label={entry.email} value={email} readOnly autoComplete="username" />
        <PasswordField name="password" label={entry.password} data-autofocus={!wasTyping || undefined} />
      </Form>
    </Modal>
  )
}

function SwitchUserButton() {
  const { entry } = useStrings()
  const go = () => {
    requestSessionEnd()
    resolveSignIn(false)
    location.assign('/sign-in')
  }
  return (
    <Button variant="subtle" color="gray" onClick={go}>
      {entry.someoneElse}
    </Button>
  )
}
