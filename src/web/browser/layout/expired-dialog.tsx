import { Button, Modal, TextInput } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { PasswordField } from '../components/fields'
import { Form, type Values } from '../components/form'
import { useLate } from '../components/use-late'
import { isExpired, settle, subscribeToExpiry } from '../expiry'
import { useStrings } from '../language'
import { leave, queryClient, visitorQuery } from '../queries'
import { refusalOf } from '../refusal'

/** The session has ended while somebody works. What they typed stays under the dialog, and waiting requests go on afterwards. */
export function ExpiredDialog() {
  const { entry } = useStrings()
  const { isMade, isShown } = useLate(useSyncExternalStore(subscribeToExpiry, isExpired))
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
        <p className="soft">{entry.expiredText}</p>
        <TextInput name="email" label={entry.email} value={email} readOnly autoComplete="username" />
        <PasswordField name="password" label={entry.password} data-autofocus />
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
