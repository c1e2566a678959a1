/**
 * The page that was asked for before signing in, as a path of this service; another site's address counts for nothing, and a token in it is dropped.
 * @param next the value of `?next=`, whatever it is
 */
export function nextPage(next: unknown, origin: string): string {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, origin)) return '/'
  const target = new URL(next, origin)
  if (target.origin !== origin || target.pathname === '/sign-in') return '/'
  target.searchParams.delete('token')
  // Two slashes at the beginning would be another host to the next reader.
  return `${target.pathname.replace(/^\/+/, '/')}${target.search}${target.hash}`
}

/** Pages that the UI does not draw itself. */
export const isOutside = (path: string): boolean => /^\/(swagger|api|rest)(\/|\?|$)/.test(path)
