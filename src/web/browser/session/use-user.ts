import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import type { User } from '../../../auth/model'
import { visitorQuery } from '../api/queries'

/** Who is signed in, for the shell and the pages in it. Their name may change while they are here. */
export function useUser(): User {
  const { user } = useRouteContext({ from: '/app' })
  const { data } = useQuery(visitorQuery)
  return data?.state === 'signedIn' ? data.user : user
}
