import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { User } from '../../../auth/model'
import { abandonUnsaved } from '../session/unsaved-changes'
import { Refusal } from './api-error'
import { api, take } from './client'
import { setWorking } from './session-expiry'

const isPassing = (error: unknown) => !(error instanceof Refusal) || error.status === 503

/** What was read stays shown while it is read anew. Offline it fails and says so, instead of waiting for ever. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, networkMode: 'always', refetchOnReconnect: true, retry: (count, error) => count < 2 && isPassing(error) },
    mutations: { networkMode: 'always' },
  },
})

/** Who is here: somebody, a stranger, or the first one of all. */
export type Visitor = { state: 'signedIn'; user: User } | { state: 'stranger' } | { state: 'setup' }

export const visitorQuery = queryOptions({
  queryKey: ['visitor'],
  staleTime: 60_000,
  queryFn: async (): Promise<Visitor> => {
    const user = await whoAmI()
    setWorking(user !== null)
    if (user) return { state: 'signedIn', user }
    const { setupRequired } = await take(api.auth['setup-status'].get())
    return { state: setupRequired ? 'setup' : 'stranger' }
  },
})

async function whoAmI(): Promise<User | null> {
  try {
    return (await take(api.auth.me.get())).user
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null
    throw error
  }
}

/** Somebody has just signed in: what was read for anybody before is forgotten. */
export function enter(user: User) {
  abandonUnsaved()
  queryClient.clear()
  setWorking(true)
  setUser(user)
}

/** They have changed something about themselves. */
export function setUser(user: User) {
  const visitor: Visitor = { state: 'signedIn', user }
  queryClient.setQueryData(visitorQuery.queryKey, visitor)
}

export function leave() {
  setWorking(false)
  abandonUnsaved()
  queryClient.clear()
}

export const tablesQuery = queryOptions({ queryKey: ['tables'], queryFn: async () => (await take(api.tables.get())).tables })

export const tokensQuery = queryOptions({ queryKey: ['tokens'], queryFn: async () => (await take(api.auth.tokens.get())).tokens })

export const sessionsQuery = queryOptions({ queryKey: ['sessions'], queryFn: async () => (await take(api.auth.sessions.get())).sessions })
