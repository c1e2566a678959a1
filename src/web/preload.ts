import { readSessionCookie } from '../auth/identity/credential'
import { pathOf, searchOf } from '../http/url'

/**
 * What the page of this address asks for first. A browser that is told so asks beside the scripts instead of behind
 * them. Nothing is said to strangers, who would be refused. The addresses are the very ones of browser/api/queries.ts
 * and, in browser/records/list, table-queries.ts and first-page.ts: others would be asked for in vain.
 */
export function firstRequests(request: Request): string[] {
  const session = readSessionCookie(request.headers.get('cookie'))
  if (!session || session.fault) return []
  const [pathname, search] = [pathOf(request.url), searchOf(request.url)]
  const always = ['/api/v1/auth/me', '/api/v1/tables']
  if (!isTable(pathname)) return always
  const table = `/api/v1${pathname}`
  // What is looked for in another search is the page's to say.
  const records = search === '' ? [`${table}/records?limit=100&count=estimated`] : []
  return [...always, table, `${table}/view`, ...records]
}

/** The page of a table, by its id; anything else can wait. */
const isTable = (pathname: string): boolean => /^\/tables\/(?!import$)[\w-]+$/.test(pathname)
