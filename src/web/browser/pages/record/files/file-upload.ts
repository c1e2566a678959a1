import { toApiError } from '../../../api/api-error'
import { sendUpload } from '../../../api/upload'

type RunningUpload = { done: Promise<void>; cancel: () => void }

/**
 * Uploads one file to a cell.
 * @param path of the cell
 * @param onProgress called with the fraction that has been sent, from 0 to 1
 */
export function uploadFile(path: string, file: File, onProgress: (share: number) => void): RunningUpload {
  const abort = new AbortController()
  const upload = { headers: { 'content-type': 'application/octet-stream' }, body: () => file, signal: abort.signal }
  const send = async () => {
    const response = await sendUpload(`${path}?${new URLSearchParams({ name: file.name })}`, upload, (sent, all) =>
      onProgress(all > 0 ? sent / all : 0),
    )
    if (!response.ok) throw await toApiError(response)
  }
  return { done: send(), cancel: () => abort.abort() }
}
