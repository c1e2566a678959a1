import { focusManager, QueryClient, queryOptions } from '@tanstack/react-query'
import type { User } from '../../../auth/model'
import { locale } from '../language'
import { clearTabStorage } from '../session/storage'
import { discardUnsaved, reloadForAnotherUser } from '../session/unsaved-changes'
import { ApiError } from './api-error'
import { api, unwrap } from './client'
import { setSignedIn } from './session-expiry'

const isTransient = (error: unknown) => !(error instanceof ApiError) || error.status === 503

// A window beside another window is always visible; only the focus shows that its user is back.
focusManager.setEventListener((onFocus) => {
  const listener = () => onFocus()
  window.addEventListener('visibilitychange', listener)
  window.addEventListener('focus', listener)
  return () => {
    window.removeEventListener('visibilitychange', listener)
    window.removeEventListener('focus', listener)
  }
})

/** Data younger than this is not fetched again on focus: a window that becomes visible reports the focus twice. */
export const minFocusAgeMs = 1000

/** Stale data stays visible while it is fetched again. Offline, a query fails immediately instead of pausing. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      networkMode: 'always',
      refetchOnReconnect: true,
      refetchOnWindowFocus: ({ state }) => (Date.now() - state.dataUpdatedAt < minFocusAgeMs ? false : 'always'),
      retry: (count, error) => count < 2 && isTransient(error),
    },
    mutations: { networkMode: 'always' },
  },
})

/** The administrator who views the service as the user. */
type Viewer = { id: string; name: string }

type Session = { state: 'signedIn'; user: User; viewedBy?: Viewer }

/** The visitor: a signed-in user, an anonymous visitor, or the first visitor of a service that is not set up yet. */
export type Visitor = Session | { state: 'stranger' } | { state: 'setup' }

/** The id of the person who has signed in: the administrator, if one views the service as another user. */
const idOfSignedIn = ({ user, viewedBy }: Session): string => (viewedBy ?? user).id

export const visitorQuery = queryOptions({
  queryKey: ['visitor'],
  staleTime: 60_000,
  queryFn: async (): Promise<Visitor> => {
    const before = cachedSession()
    const signedIn = await fetchCurrentUser()
    setSignedIn(signedIn !== null)
    // If the session of this window has not changed meanwhile, someone else has signed in in another window.
    if (before && signedIn && before === cachedSession() && idOfSignedIn(before) !== idOfSignedIn(signedIn)) {
      reloadForAnotherUser()
      return before
    }
    if (signedIn) return signedIn
    const { setupRequired } = await unwrap(api.auth['setup-status'].get())
    return { state: setupRequired ? 'setup' : 'stranger' }
  },
})

/** The signed-in user; while an administrator views the service as another user, that user. */
export const cachedUser = (): User | undefined => cachedSession()?.user

/** The signed-in user, and the administrator who views the service as that user. */
export function cachedSession(): Session | undefined {
  const visitor = queryClient.getQueryData(visitorQuery.queryKey)
  return visitor?.state === 'signedIn' ? visitor : undefined
}

async function fetchCurrentUser(): Promise<Session | null> {
  try {
    const { user, viewedBy } = await unwrap(api.auth.me.get())
    return { state: 'signedIn', user, ...(viewedBy ? { viewedBy } : {}) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

/** After sign-in: discards everything that was cached for another visitor. */
export function startSession(user: User) {
  discardUnsaved()
  queryClient.clear()
  setSignedIn(true)
  patchUser(user)
}

/** After the user has changed their own profile. */
export function patchUser(user: User) {
  const visitor: Visitor = { state: 'signedIn', user }
  queryClient.setQueryData(visitorQuery.queryKey, visitor)
}

export function requestSessionEnd() {
  setSignedIn(false)
  discardUnsaved()
  queryClient.clear()
  clearTabStorage()
}

/** The tables by schema, sorted by name in the order of the locale. */
export const tablesQuery = queryOptions({
  queryKey: ['tables'],
  queryFn: async () => {
    const { tables } = await unwrap(api.tables.get())
    const byName = new Intl.Collator(locale(), { numeric: true })
    const bySchema = [...Map.groupBy(tables, ({ schema }) => schema).values()]
    return bySchema.flatMap((ofSchema) => ofSchema.sort((one, other) => byName.compare(one.name, other.name)))
  },
})

export const cachedTables = () => queryClient.getQueryData(tablesQuery.queryKey) ?? []

export const tokensQuery = queryOptions({ queryKey: ['tokens'], queryFn: async () => (await unwrap(api.auth.tokens.get())).tokens })

export const sessionsQuery = queryOptions({ queryKey: ['sessions'], queryFn: async () => (await unwrap(api.auth.sessions.get())).sessions })
