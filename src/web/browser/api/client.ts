import { treaty } from '@elysiajs/eden'
import type { Api } from '../../../app'
import { Refusal, refusalOf } from './api-error'
import { isAtWork, renewalCount, signInAgain } from './session-expiry'

/** `fetch` for the public API. When the session has ended during work, it asks to sign in again and repeats the request. */
export async function send(path: string, init?: RequestInit): Promise<Response> {
  const sentAfter = renewalCount()
  const response = await fetch(path, init)
  return (await isRenewedAfter(response, sentAfter)) ? send(path, init) : response
}

/** Where the answer says that the session has ended, whether there is a new one now. @param sentAfter so many renewals of the session */
export async function isRenewedAfter(response: Response, sentAfter: number): Promise<boolean> {
  if (response.status !== 401 || !isAtWork()) return false
  const { code } = await refusalOf(response.clone())
  return (code === 'invalid_session' || code === 'unauthenticated') && signInAgain(sentAfter)
}

/**
 * The public API with the types of the server's routes. Parts of a path that may hold a `/` have to be encoded by the caller. Records do not go through
 * it: their numbers may be longer than JavaScript's, and `send` hands their text over as it came.
 */
export const api = treaty<Api>(location.origin, { parseDate: false, fetcher: send as typeof fetch }).api.v1

type Answer<T> = { data: T | null; error: { value: unknown } | null; response?: Response; status: number }

/** The data of a call of `api`. @throws Refusal, or TypeError when the service cannot be reached */
export async function take<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response, status } = await answer
  if (!error) return data as T
  // Eden tells a broken connection as an answer of its own, without a response.
  if (!response) throw new TypeError('The service cannot be reached.')
  throw new Refusal(status, (error.value || {}) as Refusal['body'], Number(response.headers.get('retry-after') ?? 0))
}
