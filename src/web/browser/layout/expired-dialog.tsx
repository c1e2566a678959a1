import { Button, Modal, TextInput } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { refusalOf } from '../api/api-error'
import { leave, queryClient, visitorQuery } from '../api/queries'
import { isExpired, settle, subscribeToExpiry } from '../api/session-expiry'
import { PasswordField } from '../components/fields'
import { Form, type Values } from '../components/form'
import { useLate } from '../components/use-lazy-mount'
import { useStrings } from '../language'
import { usePause } from './use-typing-pause'

/** The session has ended while somebody works: asked as soon as they pause. What they typed stays under the dialog, and waiting requests go on afterwards. */
export function ExpiredDialog() {
  const { entry } = useStrings()
  const { isPaused, wasTyping } = usePause(useSyncExternalStore(subscribeToExpiry, isExpired))
  const { isMade, isShown } = useLate(isPaused)
  if (!isMade) return null
  const visitor = queryClient.getQueryData(visitorQuery.queryKey)
  const email = visitor?.state === 'signedIn' ? visitor.user.email : ''
  const submit = async ({ password = '' }: Values) => {
    // Not by `api`: this is the one request that must not wait for the dialog.
    const body = JSON.stringify({ email, password })
    const response = await fetch('/api/v1/auth/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    if (!response.ok) throw await refusalOf(response)
    settle(true)
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
      <Form action={entry.signIn} submit={submit} beside={<SomeoneElse />}>
        {/* Whoever types on does not type a password. */}
        <p className="soft" tabIndex={-1} data-autofocus={wasTyping || undefined}>
          {entry.expiredText}
        </p>
        <TextInput name="email" label={entry.email} value={email} readOnly autoComplete="username" />
        <PasswordField name="password" label={entry.password} data-autofocus={!wasTyping || undefined} />
      </Form>
    </Modal>
  )
}

function SomeoneElse() {
  const { entry } = useStrings()
  const go = () => {
    leave()
    settle(false)
    location.assign('/sign-in')
  }
  return (
    <Button variant="subtle" color="gray" onClick={go}>
      {entry.someoneElse}
    </Button>
  )
}
