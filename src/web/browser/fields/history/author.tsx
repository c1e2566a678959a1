import { useQuery } from '@tanstack/react-query'
import type { Author } from '../../../../changes/model'
import { useStrings } from '../../language'
import { peopleQuery } from '../../records/values/people'
import { formatExactTime, formatTimestamp } from '../../values/format'

/** The author of a change: a user, and the plugin, role and credential (other than a session) that were used. */
function useAuthorName({ userId, credential, plugin, role }: Author): string {
  const { history } = useStrings()
  const { data: people } = useQuery(peopleQuery)
  const user = userId === null ? null : people && (people.find(({ id }) => id === userId)?.name ?? history.formerUser)
  const means = credential && (history.means as Partial<Record<string, string>>)[credential.kind]
  const names = [user, plugin && history.plugin(plugin), means, role && history.role(role)].filter(Boolean)
  return userId === null && names.length === 0 ? history.service : names.join(', ')
}

export const AuthorName = ({ by }: { by: Author }) => useAuthorName(by)

/** A local time, with the exact one as its title. */
export const Moment = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatExactTime(at)}>
    {formatTimestamp(at)}
  </time>
)
