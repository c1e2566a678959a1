import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Session } from '../../../../auth/model'
import { toErrorMessage } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { queryClient, sessionsQuery } from '../../api/queries'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { formatAgo, formatDate } from '../../values/format'
import { parseUserAgent } from './user-agent'

export function Sessions() {
  const strings = useStrings()
  const { account } = strings
  const query = useQuery(sessionsQuery)
  const refresh = () => queryClient.invalidateQueries(sessionsQuery)
  const endOthers = useMutation({ mutationFn: () => unwrap(api.auth.sessions.delete()), onSuccess: refresh })
  const others = query.data?.filter(({ current }) => !current) ?? []
  const button = (
    <Button variant="default" onClick={() => endOthers.mutate()} aria-busy={endOthers.isPending}>
      {account.endOthers}
    </Button>
  )
  return (
    <Panel title={account.sessions} text={account.sessionsHelp} action={others.length > 0 ? button : null}>
      <Await query={query}>
        {(sessions) => (
          <ul className="rows">
            {sessions
              .toSorted((one, two) => Number(two.current) - Number(one.current))
              .map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
          </ul>
        )}
      </Await>
      <p role="status" className="notice">
        {endOthers.isSuccess && others.length === 0 ? account.othersEnded : ''}
      </p>
      <p role="alert" className="alert">
        {endOthers.error ? toErrorMessage(endOthers.error, strings) : ''}
      </p>
    </Panel>
  )
}

function SessionRow({ session }: { session: Session }) {
  const strings = useStrings()
  const { account } = strings
  const { browser, system } = parseUserAgent(session.agent)
  const title = browser && system ? account.browserOn(browser, system) : (browser ?? account.unknownAgent)
  const facts = [
    account.from(session.address),
    account.lastSeen(formatAgo(session.lastSeenAt, Date.now())),
    account.signedInAt(formatDate(session.createdAt)),
    account.until(formatDate(session.expiresAt)),
  ]
  const end = useMutation({
    mutationFn: () => unwrap(api.auth.sessions({ id: session.id }).delete()),
    onSettled: () => queryClient.invalidateQueries(sessionsQuery),
  })
  return (
    <li>
      <div>
        <h3>
          {title} {session.current ? <span className="badge">{account.thisSession}</span> : null}
        </h3>
        <p className="facts">{facts.join(' · ')}</p>
        {end.error ? (
          <p role="alert" className="alert">
            {toErrorMessage(end.error, strings)}
          </p>
        ) : null}
      </div>
      {session.current ? null : (
        <Button variant="default" size="xs" aria-label={account.endOf(title)} aria-busy={end.isPending} onClick={() => end.mutate()}>
          {account.end}
        </Button>
      )}
    </li>
  )
}
