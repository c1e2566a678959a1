import type { RequestInfo } from './request-info'

/** SEC-48, SEC-65: on every answer, unless the route has said something stricter or more fitting itself. */
const defaults: [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cache-control', 'private, no-store'],
  ['vary', 'Authorization, Cookie'],
]

export function secure(response: Response, info: Pick<RequestInfo, 'id' | 'isHttps'>): Response {
  const { headers } = response
  for (const [name, value] of defaults) if (!headers.has(name)) headers.set(name, value)
  if (info.isHttps) headers.set('strict-transport-security', 'max-age=31536000')
  headers.set('x-request-id', info.id)
  return response
}
