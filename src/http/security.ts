import type { CorsGrant, RequestInfo } from './request/request-info'

/** Response headers that scripts use and that browsers hide from other sites by default. */
const exposedHeaders = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Dry-Run',
  'ETag',
  'Feed-Cursor',
  'Feed-Reset',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'Rowhouse-Missing-Characters',
  'Rowhouse-Page-Count',
  'WWW-Authenticate',
  'X-Export-Id',
  'X-Request-Id',
].join(', ')

/** SEC-48, SEC-65: on every response, unless the route itself has set something stricter or more fitting. */
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

/**
 * Adds the CORS headers to a response that has all its other headers. A response that depends on the origin declares it
 * to caches, even if the request has no origin.
 */
function addCorsHeaders({ headers }: Response, { origin }: CorsGrant): void {
  const vary = headers.get('vary')
  if (vary !== '*' && !/(^|,)\s*origin\s*(,|$)/i.test(vary ?? '')) headers.append('vary', 'Origin')
  if (origin === null) return
  headers.set('access-control-allow-origin', origin)
  // A plugin may have listed some of its own.
  headers.append('access-control-expose-headers', exposedHeaders)
}
