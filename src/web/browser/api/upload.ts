import { currentLanguage } from '../language'
import { isSessionRenewed, send } from './client'
import { renewalCount } from './session-expiry'

type UploadRequest = { headers: Record<string, string>; body: () => XMLHttpRequestBodyInit; signal: AbortSignal }

/**
 * POST with upload progress, which `fetch` does not report.
 * @param onProgress called with the sent and the total bytes
 * @throws TypeError when the service cannot be reached, AbortError
 */
export async function sendUpload(path: string, upload: UploadRequest, onProgress: (sent: number, all: number) => void): Promise<Response> {
  // Check the session first: a proxy may close the connection of an upload that is rejected before its body was read.
  await send('/api/v1/auth/me')
  upload.signal.throwIfAborted()
  const sentAfter = renewalCount()
  const response = await post(path, upload, onProgress)
  return (await isSessionRenewed(response, sentAfter)) ? sendUpload(path, upload, onProgress) : response
}

const post = (path: string, { headers, body, signal }: UploadRequest, onProgress: (sent: number, all: number) => void): Promise<Response> =>
  new Promise((done, fail) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open('POST', path)
    request.setRequestHeader('accept-language', currentLanguage())
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    request.onerror = () => fail(new TypeError('The service cannot be reached.'))
    request.onabort = () => fail(new DOMException('Cancelled.', 'AbortError'))
    request.onload = () => done(responseOf(request))
    request.onloadend = () => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort)
    request.send(body())
  })

function responseOf(request: XMLHttpRequest): Response {
  const headers = ['retry-after', 'x-request-id', 'idempotent-replayed'].flatMap((name): [string, string][] => {
    const value = request.getResponseHeader(name)
    return value === null ? [] : [[name, value]]
  })
  return new Response(request.responseText || null, { status: request.status, headers })
}
