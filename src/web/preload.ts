import { readSessionCookie } from '../auth/identity/credential'
import { pathOf, searchOf } from '../http/request/url'

/**
 * The first requests of the page at this address. As preload hints they let the browser send them while it loads the
 * scripts, not afterwards. Requests without a session would be refused, so they get no hints. The URLs must equal those
 * of browser/api/queries.ts and, in browser/records/list, table-queries.ts and first-page.ts: the page uses no others.
 */
export function firstRequests(request: Request): string[] {
  const session = readSessionCookie(request.headers.get('cookie'))
  if (!session || session.fault) return []
  const [pathname, search] = [pathOf(request.url), searchOf(request.url)]
  const always = ['/api/v1/auth/me', '/api/v1/tables']
  if (!isTable(pathname)) return always
  const table = `/api/v1${pathname}`
  // With a search string, only the page knows its request.
  const records = search === '' ? [`${table}/records?limit=100&count=estimated`] : []
  return [...always, table, `${table}/view`, ...records]
}

/** The page of a table, by its id; other pages can wait. */
const isTable = (pathname: string): boolean => /^\/tables\/(?!import$)[\w-]+$/.test(pathname)
