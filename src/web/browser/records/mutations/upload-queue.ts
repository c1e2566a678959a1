import { toApiError } from '../../api/api-error'
import { sendUpload } from '../../api/upload'
import { setUnsaved } from '../../session/unsaved-changes'
import { newIdempotencyKey } from '../pages/draft-row'
import { setUploads, type Upload, uploadsAt } from './uploads'

let lastId = 0

/**
 * Uploads files to a cell, one after the other. The queue outlives the form: a record that was closed meanwhile still
 * gets its files, and shows the failed ones when it is opened again.
 */
class UploadQueue {
  uploads: readonly Upload[] = []
  /** Called after each file. */
  onStored: (file: File) => Promise<unknown> = async () => {}
  onFailed: (file: File, failure: unknown) => void = () => {}
  private running: { id: number; abort: AbortController } | null = null

  /** @param path of the cell */
  constructor(private readonly path: string) {}

  readonly add = (files: Iterable<File>) => {
    const added = [...files].map((file): Upload => ({ id: ++lastId, file, key: newIdempotencyKey(), share: 0, state: 'waiting' }))
    if (added.length === 0) return
    this.set([...this.uploads, ...added])
    void this.sendNext()
  }

  readonly cancel = (id: number) => {
    if (this.running?.id === id) this.running.abort.abort()
    this.set(this.uploads.filter((each) => each.id !== id))
  }

  readonly retry = (id: number) => {
    this.change(id, { state: 'waiting', share: 0, failure: undefined })
    void this.sendNext()
  }

  /** The files of one user are never uploaded in the session of another. */
  discard() {
    for (const { id } of this.uploads) this.cancel(id)
  }

  /** Sends the next waiting file, unless one is being sent. */
  private async sendNext(): Promise<void> {
    const next = this.uploads.find(({ state }) => state === 'waiting')
    if (this.running || !next) return
    const { id } = next
    const abort = new AbortController()
    this.running = { id, abort }
    this.change(id, { state: 'sending' })
    try {
      await uploadFile(this.path, next, (share) => this.change(id, { share }), abort.signal)
      // The file is stored, although it may not be displayed yet.
      await this.onStored(next.file).catch(() => {})
      this.set(this.uploads.filter((each) => each.id !== id))
    } catch (failure) {
      if (!abort.signal.aborted) this.fail(next, failure)
    } finally {
      this.running = null
    }
    return this.sendNext()
  }

  private fail({ id, file }: Upload, failure: unknown) {
    this.change(id, { state: 'failed', failure })
    this.onFailed(file, failure)
  }

  private change(id: number, change: Partial<Upload>) {
    this.set(this.uploads.map((each) => (each.id === id ? { ...each, ...change } : each)))
  }

  private set(uploads: readonly Upload[]) {
    this.uploads = uploads
    setUnsaved(this, { busy: uploads.length, unsent: 0 })
    setUploads(this.path, uploads.length > 0 ? this : null)
  }
}

/** The queue of a cell that has uploads, or a new one. @param path of the cell */
export function uploadQueue(path: string): UploadQueue {
  const queue = uploadsAt(path)
  return queue instanceof UploadQueue ? queue : new UploadQueue(path)
}

/**
 * Uploads one file to a cell.
 * @param path of the cell
 * @param onProgress called with the fraction that has been sent, from 0 to 1
 * @throws ApiError, AbortError
 */
async function uploadFile(path: string, { file, key }: Upload, onProgress: (share: number) => void, signal: AbortSignal): Promise<void> {
  const upload = { headers: { 'content-type': 'application/octet-stream', 'idempotency-key': key }, body: () => file, signal }
  const response = await sendUpload(`${path}?${new URLSearchParams({ name: file.name })}`, upload, (sent, all) =>
    onProgress(all > 0 ? sent / all : 0),
  )
  if (!response.ok) throw await toApiError(response)
}
