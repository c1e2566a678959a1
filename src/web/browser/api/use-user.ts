import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import type { User } from '../../../auth/model'
import { visitorQuery } from './queries'

/** The signed-in user. The name may change while the page is open. */
export function useUser(): User {
  const { user } = useRouteContext({ from: '/app' })
  const { data } = useQuery(visitorQuery)
  return data?.state === 'signedIn' ? data.user : user
}
