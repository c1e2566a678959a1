import { Button } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Refusal } from '../../api/api-error'
import { api, take } from '../../api/client'
import { enter } from '../../api/queries'
import { TextField } from '../../components/fields'
import { Form, type Values } from '../../components/form'
import { NewPassword } from '../../components/new-password'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { Guest } from '../../layout/guest'
import { inviteToken } from '../../session/url-secrets'

type Invited = { email: string; name: string }

/** Who the link is for; null when it is not valid any more. */
const invitationQuery = queryOptions({
  queryKey: ['invitation'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<Invited | null> => {
    try {
      return await take(api.auth.invite.check.post({ inviteToken }))
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return null
      throw error
    }
  },
})

export const InvitePage = () => (inviteToken ? <Invitation /> : <Navigate to="/" replace />)

function Invitation() {
  const { entry } = useStrings()
  const query = useQuery(invitationQuery)
  if (query.data === null) return <InvitationOver />
  return (
    <Guest title={entry.choosePassword} introduction={query.data ? entry.invitationFor(query.data.email) : undefined}>
      <Await query={query}>{(invited) => (invited ? <InvitationForm invited={invited} /> : null)}</Await>
    </Guest>
  )
}

function InvitationForm({ invited }: { invited: Invited }) {
  const { entry } = useStrings()
  const navigate = useNavigate()
  const [name, setName] = useState(invited.name)
  const submit = async ({ password = '' }: Values) => {
    const { user } = await take(api.auth.invite.post({ inviteToken, password, ...(name ? { name } : {}) }))
    enter(user)
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
      <NewPassword name="password" label={entry.password} owner={{ email: invited.email, name }} />
    </Form>
  )
}

function InvitationOver() {
  const { entry } = useStrings()
  return (
    <Guest title={entry.invitation} introduction={entry.invitationExpired}>
      <Button component={Link} to="/">
        {entry.goToSignIn}
      </Button>
    </Guest>
  )
}
