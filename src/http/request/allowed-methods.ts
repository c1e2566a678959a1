/** Method and path pattern of every route. */
export type RouteTable = readonly { method: string; path: string }[]

const escaped = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

/** Turns `/tables/:id/*` into a pattern of whole paths. */
const patternOf = (path: string) =>
  new RegExp(
    `^${path
      .replace(/\/$/, '')
      .split('/')
      .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : escaped(part)))
      .join('/')}/?$`,
  )

/** The methods available at this path, for `Allow` (RFC 9110 section 10.2.1); empty if the path is unknown. */
export function allowedMethods(routes: RouteTable, pathname: string): string[] {
  const found = new Set(routes.filter(({ path }) => patternOf(path).test(pathname)).map(({ method }) => method))
  if (found.size === 0) return []
  if (found.has('GET')) found.add('HEAD')
  return [...found.add('OPTIONS')].sort()
}
