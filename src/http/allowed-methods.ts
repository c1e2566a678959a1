/** Method and path pattern of every route. */
export type RouteTable = readonly { method: string; path: string }[]

const escaped = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

/** `/tables/:id/*` → a pattern of whole paths. */
const patternOf = (path: string) =>
  new RegExp(
    `^${path
      .replace(/\/$/, '')
      .split('/')
      .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : escaped(part)))
      .join('/')}/?$`,
  )

/** The methods that answer at this path, for `Allow` (RFC 9110 section 10.2.1); empty when the path is unknown. */
export function allowedMethods(routes: RouteTable, pathname: string): string[] {
  const found = new Set(routes.filter(({ path }) => patternOf(path).test(pathname)).map(({ method }) => method))
  if (found.size === 0) return []
  if (found.has('GET')) found.add('HEAD')
  return [...found.add('OPTIONS')].sort()
}
