import { isRenewedAfter, send } from './client'
import { renewalCount } from './session-expiry'

type Upload = { headers: Record<string, string>; body: () => XMLHttpRequestBodyInit; signal: AbortSignal }

/**
 * POST with progress of what is sent; `fetch` tells nothing about it.
 * @param tell called with how many bytes were sent, of how many
 * @throws TypeError when the service cannot be reached, AbortError
 */
export async function sendUpload(path: string, upload: Upload, tell: (sent: number, all: number) => void): Promise<Response> {
  // Refused before its body was read, an upload can break off at a proxy without a word of why.
  await send('/api/v1/auth/me')
  const sentAfter = renewalCount()
  const response = await post(path, upload, tell)
  return (await isRenewedAfter(response, sentAfter)) ? sendUpload(path, upload, tell) : response
}

const post = (path: string, { headers, body, signal }: Upload, tell: (sent: number, all: number) => void): Promise<Response> =>
  new Promise((done, fail) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open('POST', path)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => tell(loaded, total)
    request.onerror = () => fail(new TypeError('The service cannot be reached.'))
    request.onabort = () => fail(new DOMException('Cancelled.', 'AbortError'))
    request.onload = () => done(responseOf(request))
    request.onloadend = () => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort)
    request.send(body())
  })

function responseOf(request: XMLHttpRequest): Response {
  const retryAfter = request.getResponseHeader('retry-after')
  return new Response(request.responseText || null, { status: request.status, headers: retryAfter ? { 'retry-after': retryAfter } : {} })
}
