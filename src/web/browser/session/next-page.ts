/**
 * The page to open after sign-in, as a path of this service. Other origins are ignored, and a token is removed.
 * @param next the value of `?next=`
 */
export function nextPage(next: unknown, origin: string): string {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, origin)) return '/'
  const target = new URL(next, origin)
  if (target.origin !== origin || target.pathname === '/sign-in') return '/'
  target.searchParams.delete('token')
  // A path that begins with two slashes would be another host.
  return `${target.pathname.replace(/^\/+/, '/')}${target.search}${target.hash}`
}

/** Paths that the UI's router does not handle. */
export const isServerPage = (path: string): boolean => /^\/(swagger|api|rest)(\/|\?|$)/.test(path)
