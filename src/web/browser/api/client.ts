import { treaty } from '@elysiajs/eden'
import type { Api } from '../../../app'
import { currentLanguage } from '../language'
import { ApiError, toApiError } from './api-error'
import { trackWrite } from './own-writes'
import { isSomebodyPresent } from './presence'
import { isSignedIn, renewalCount, requestSignIn } from './session-expiry'

/** `fetch` for the public API. When the session expires, it asks the user to sign in and repeats the request. */
export async function send(path: string, init?: RequestInit): Promise<Response> {
  const sentAfter = renewalCount()
  const response = await trackWrite(init?.method, fetch(path, { ...init, headers: requestHeaders(init) }))
  return (await isSessionRenewed(response, sentAfter)) ? send(path, init) : response
}

/**
 * The headers of a request, with the language of the UI for the service's messages. A read that no user has caused is
 * marked, so that it does not keep an unused session alive.
 */
function requestHeaders({ method = 'GET', headers }: RequestInit = {}): Headers {
  const result = new Headers(headers)
  result.set('accept-language', currentLanguage())
  if (method === 'GET' && !isSomebodyPresent()) result.set('rowhouse-background', '1')
  return result
}

/**
 * Whether the response reports an expired session and the user has signed in again.
 * @param sentAfter the renewal count when the request was sent
 */
export async function isSessionRenewed(response: Response, sentAfter: number): Promise<boolean> {
  if (response.status !== 401 || !isSignedIn()) return false
  const { code } = await toApiError(response.clone())
  return (code === 'invalid_session' || code === 'unauthenticated') && requestSignIn(sentAfter)
}

/**
 * The public API with the types of the server's routes. The caller encodes path segments that may contain a `/`.
 * Records do not use it: their numbers may exceed JavaScript's precision, so `send` returns the raw response.
 */
export const api = treaty<Api>(location.origin, { parseDate: false, fetcher: send as typeof fetch }).api.v1

type TreatyResponse<T> = { data: T | null; error: { value: unknown } | null; response?: Response; status: number }

/** The data of an `api` call. @throws ApiError, or TypeError when the service cannot be reached */
export async function unwrap<T>(answer: Promise<TreatyResponse<T>>): Promise<T> {
  const { data, error, response, status } = await answer
  if (!error) return data as T
  // Eden reports a network failure as an error without a response.
  if (!response) throw new TypeError('The service cannot be reached.')
  throw new ApiError(status, (error.value || {}) as ApiError['body'], Number(response.headers.get('retry-after') ?? 0))
}
