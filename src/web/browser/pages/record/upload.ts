import { signInAgain } from '../../expiry'
import { Refusal } from '../../refusal'

type Sending = { done: Promise<void>; cancel: () => void }

/**
 * Sends one file into a cell. `fetch` tells nothing about how far it is; this does.
 * @param path of the cell
 * @param tell called with the share that has been sent, from 0 to 1
 */
export function sendFile(path: string, file: File, tell: (share: number) => void): Sending {
  const request = new XMLHttpRequest()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  request.open('POST', `${path}?${new URLSearchParams({ name: file.name })}`)
  request.setRequestHeader('content-type', 'application/octet-stream')
  request.upload.onprogress = ({ loaded, total }) => tell(total > 0 ? loaded / total : 0)
  request.onerror = () => reject(new TypeError('The service cannot be reached.'))
  request.onabort = () => reject(new DOMException('Given up.', 'AbortError'))
  request.onload = () => {
    if (request.status < 300) return resolve()
    const refusal = new Refusal(request.status, bodyOf(request.responseText), Number(request.getResponseHeader('retry-after') ?? 0))
    if (request.status !== 401) return reject(refusal)
    // The session has ended: once signed in again, it is sent anew.
    void signInAgain().then((isSignedIn) => (isSignedIn ? sendFile(path, file, tell).done.then(resolve, reject) : reject(refusal)))
  }
  request.send(file)
  return { done: promise, cancel: () => request.abort() }
}

function bodyOf(text: string): Refusal['body'] {
  try {
    return JSON.parse(text) as Refusal['body']
  } catch {
    return {}
  }
}
