import type { RequestInfo } from './request-info'

/**
 * What an answer says to a page of another site: `origin` is the one that may read it (`*` for any), null for none.
 * Answers that depend on the origin say so to caches even where the request has none.
 */
export type CorsGrant = { origin: string | null }

/** Of the headers that are sent, those that scripts use and that browsers show to no other site unasked. */
const exposedHeaders = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'WWW-Authenticate',
  'X-Export-Id',
  'X-Request-Id',
].join(', ')

/** SEC-48, SEC-65: on every answer, unless the route has said something stricter or more fitting itself. */
const defaults: [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cache-control', 'private, no-store'],
  ['vary', 'Authorization, Cookie'],
]

export function secure(response: Response, info: Pick<RequestInfo, 'id' | 'isHttps' | 'cors'>): Response {
  const { headers } = response
  for (const [name, value] of defaults) if (!headers.has(name)) headers.set(name, value)
  if (info.isHttps) headers.set('strict-transport-security', 'max-age=31536000')
  if (info.cors) addCorsHeaders(response, info.cors)
  headers.set('x-request-id', info.id)
  return response
}

/** Says it in the headers of an answer that has all others. */
function addCorsHeaders({ headers }: Response, { origin }: CorsGrant): void {
  const vary = headers.get('vary')
  if (vary !== '*' && !/(^|,)\s*origin\s*(,|$)/i.test(vary ?? '')) headers.append('vary', 'Origin')
  if (origin === null) return
  headers.set('access-control-allow-origin', origin)
  // A plugin may have named some of its own.
  headers.append('access-control-expose-headers', exposedHeaders)
}
