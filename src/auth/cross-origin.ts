import type { CorsGrant, RequestInfo } from '../http/request/request-info'
import { pathOf, searchOf } from '../http/request/url'
import type { Handler } from '../http/server/serve'
import type { Config } from '../ops/settings/config'
import { readCredential } from './identity/credential'

/** The origins that the endpoint at this path allows, besides those of the settings; null if it declares none. */
export type FindEndpointOrigins = (method: string, path: string) => readonly string[] | null

/**
 * Lets pages of other sites read what they may (docs/authentication.md). Answers preflights here, before authentication
 * and routing; for other requests it records the grant, so that error responses also carry the headers.
 */
export const crossOrigin =
  ({ corsOrigins }: Pick<Config, 'corsOrigins'>, findEndpointOrigins?: FindEndpointOrigins) =>
  (handler: Handler): Handler =>
  (request, info) => {
    const method = preflightMethod(request)
    if (method !== null) return preflight(request, method, corsOrigins, findEndpointOrigins)
    const endpointOrigins = findEndpointOrigins?.(request.method, pathOf(request.url))
    if (endpointOrigins || corsOrigins.length > 0) info.cors = grantOf(request, info, corsOrigins, endpointOrigins ?? [])
    return handler(request, info)
  }

function preflight(request: Request, method: string, all: readonly string[], findEndpointOrigins?: FindEndpointOrigins): Response {
  const origin = request.headers.get('origin') ?? ''
  const ofAll = findOrigin(all, origin)
  if (ofAll !== null) return answerPreflight(request, ofAll, methods)
  // Only the requested method: another endpoint at the path has its own origins.
  return answerPreflight(request, findOrigin(findEndpointOrigins?.(method, pathOf(request.url)) ?? [], origin), [method])
}

/**
 * The origins of the settings are for callers with a token, those of an endpoint for its callers. A browser that sends
 * the cookie from another site is granted nothing, whatever else it sends.
 */
function grantOf(request: Request, info: RequestInfo, all: readonly string[], ofEndpoint: readonly string[]): CorsGrant {
  const { headers } = request
  const origin = headers.get('origin')
  if (origin === null || headers.has('cookie') || origin === info.origin) return { origin: null }
  return { origin: findOrigin(ofEndpoint, origin) ?? (carriesToken(request) ? findOrigin(all, origin) : null) }
}

const carriesToken = ({ headers, url }: Request): boolean =>
  readCredential({ authorization: headers.get('authorization'), search: searchOf(url), cookie: null }) !== null

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** How long a browser may cache a preflight response. */
const preflightMaxAgeS = 600

/** The method that a page intends to send; null if this is not a preflight (Fetch standard, 3.2.2). */
const preflightMethod = ({ method, headers }: Request): string | null =>
  method === 'OPTIONS' && headers.has('origin') ? headers.get('access-control-request-method') : null

/** The value of the response header; null if the list does not contain the origin. */
const findOrigin = (origins: readonly string[], origin: string): string | null =>
  origins[0] === '*' ? '*' : origins.includes(origin) ? origin : null

const headerNames = /^[\w!#$%&'*+.^`|~,\t -]{1,4000}$/

/**
 * Answers a preflight in the same way for every path: the request that follows is authorized separately.
 * @param allowed the allowed methods; for the whole API, all of them
 */
function answerPreflight({ headers }: Request, origin: string | null, allowed: readonly string[]): Response {
  const vary = { vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' }
  if (origin === null) return new Response(null, { status: 204, headers: vary })
  const requestedHeaders = headers.get('access-control-request-headers') ?? ''
  return new Response(null, {
    status: 204,
    headers: {
      ...vary,
      'access-control-allow-origin': origin,
      'access-control-allow-methods': allowed.join(', '),
      // Access-Control-Allow-Credentials is missing on purpose: without it a browser sends no cookie.
      ...(headerNames.test(requestedHeaders) ? { 'access-control-allow-headers': requestedHeaders } : {}),
      'access-control-max-age': String(preflightMaxAgeS),
    },
  })
}
