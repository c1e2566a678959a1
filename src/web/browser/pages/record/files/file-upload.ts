import { refusalOf } from '../../../api/api-error'
import { sendUpload } from '../../../api/upload'

type Sending = { done: Promise<void>; cancel: () => void }

/**
 * Sends one file into a cell.
 * @param path of the cell
 * @param tell called with the share that has been sent, from 0 to 1
 */
export function sendFile(path: string, file: File, tell: (share: number) => void): Sending {
  const abort = new AbortController()
  const upload = { headers: { 'content-type': 'application/octet-stream' }, body: () => file, signal: abort.signal }
  const send = async () => {
    const response = await sendUpload(`${path}?${new URLSearchParams({ name: file.name })}`, upload, (sent, all) =>
      tell(all > 0 ? sent / all : 0),
    )
    if (!response.ok) throw await refusalOf(response)
  }
  return { done: send(), cancel: () => abort.abort() }
}
