import { Button } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { startSession } from '../../api/queries'
import { TextField } from '../../components/form/fields'
import { Form, type FormValues } from '../../components/form/form'
import { NewPasswordField } from '../../components/form/new-password'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { GuestPage } from '../../layout/guest'
import { inviteToken } from '../../session/url-secrets'

type Invited = { email: string; name: string }

/** The invited user; null if the link is no longer valid. */
const invitationQuery = queryOptions({
  queryKey: ['invitation'],
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  queryFn: async (): Promise<Invited | null> => {
    try {
      return await unwrap(api.auth.invite.check.post({ inviteToken }))
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null
      throw error
    }
  },
})

export const InvitePage = () => (inviteToken ? <Invitation /> : <Navigate to="/" replace />)

function Invitation() {
  const { entry } = useStrings()
  const query = useQuery(invitationQuery)
  if (query.data === null) return <InvitationExpired />
  return (
    <GuestPage title={entry.choosePassword} introduction={query.data ? entry.invitationFor(query.data.email) : undefined}>
      <Await query={query}>{(invited) => (invited ? <InvitationForm invited={invited} /> : null)}</Await>
    </GuestPage>
  )
}

function InvitationForm({ invited }: { invited: Invited }) {
  const { entry } = useStrings()
  const navigate = useNavigate()
  const [name, setName] = useState(invited.name)
  const submit = async ({ password = '' }: FormValues) => {
    const { user } = await unwrap(api.auth.invite.post({ inviteToken, password, ...(name ? { name } : {}) }))
    startSession(user)
    await navigate({ to: '/', replace: true })
  }
  return (
    <Form action={entry.signIn} submit={submit} isWide>
      <TextField
        name="name"
        label={entry.name}
        value={name}
        autoComplete="name"
        maxLength={100}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NewPasswordField name="password" label={entry.password} owner={{ email: invited.email, name }} />
    </Form>
  )
}

function InvitationExpired() {
  const { entry } = useStrings()
  return (
    <GuestPage title={entry.invitation} introduction={entry.invitationExpired}>
      <Button component={Link} to="/">
        {entry.goToSignIn}
      </Button>
    </GuestPage>
  )
}
