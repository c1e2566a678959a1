import { useQuery } from '@tanstack/react-query'
import type { User } from '../../../auth/model'
import { toApiError } from './api-error'
import { send } from './client'
import { visitorQuery } from './queries'
import { jsonHeaders } from './urls'

const url = '/api/v1/access/view'

/** Administrators see everything, and disabled users see nothing. */
export const canBeViewed = ({ role, disabled }: User): boolean => role !== 'admin' && !disabled

/**
 * Shows Rowhouse, or one table, as another user sees it. The page is loaded again, which drops all cached data.
 * @throws ApiError
 */
export async function startViewAs(userId: string, tableId?: string) {
  const response = await send(url, { method: 'POST', headers: jsonHeaders, body: JSON.stringify({ userId }) })
  if (!response.ok) throw await toApiError(response)
  location.assign(tableId ? `/tables/${tableId}` : '/')
}

/** @throws ApiError */
export async function stopViewAs() {
  const response = await send(url, { method: 'DELETE' })
  if (!response.ok) throw await toApiError(response)
  location.assign('/settings/access')
}

/** Whether an administrator views Rowhouse as the user. */
export function useIsViewing(): boolean {
  const { data } = useQuery(visitorQuery)
  return data?.state === 'signedIn' && data.viewedBy !== undefined
}
