import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { toApiError } from '../../../api/api-error'
import { sendUpload } from '../../../api/upload'
import { setUnsaved } from '../../../session/unsaved-changes'

export type Upload = { id: number; file: File; share: number; state: 'waiting' | 'sending' | 'failed'; failure?: unknown }

let lastId = 0

/**
 * Uploads files to a cell, one after the other. It outlives the form, so a record that was closed meanwhile gets its
 * files, and shows those that failed when it is opened again.
 */
class UploadQueue {
  uploads: readonly Upload[] = []
  /** Called after each file. */
  onStored: () => Promise<unknown> = async () => {}
  private readonly listeners = new Set<() => void>()
  private running: { id: number; abort: AbortController } | null = null

  /** @param path of the cell */
  constructor(private readonly path: string) {}

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  readonly add = (files: Iterable<File>) => {
    const added = [...files].map((file): Upload => ({ id: ++lastId, file, share: 0, state: 'waiting' }))
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

  /** Files of one user are never uploaded in the name of another. */
  discard() {
    for (const { id } of this.uploads) this.cancel(id)
  }

  /** Sends the next file that waits, if none is being sent. */
  private async sendNext(): Promise<void> {
    const next = this.uploads.find(({ state }) => state === 'waiting')
    if (this.running || !next) return
    const { id, file } = next
    const abort = new AbortController()
    this.running = { id, abort }
    this.change(id, { state: 'sending' })
    try {
      await uploadFile(this.path, file, (share) => this.change(id, { share }), abort.signal)
      await this.onStored()
      this.set(this.uploads.filter((each) => each.id !== id))
    } catch (failure) {
      if (!abort.signal.aborted) this.change(id, { state: 'failed', failure })
    } finally {
      this.running = null
    }
    return this.sendNext()
  }

  private change(id: number, change: Partial<Upload>) {
    this.set(this.uploads.map((each) => (each.id === id ? { ...each, ...change } : each)))
  }

  private set(uploads: readonly Upload[]) {
    this.uploads = uploads
    setUnsaved(this, { busy: uploads.length, unsent: 0 })
    if (uploads.length === 0) queues.delete(this.path)
    else queues.set(this.path, this)
    for (const listener of this.listeners) listener()
  }
}

/** The queues with uploads, by the path of their cell. */
const queues = new Map<string, UploadQueue>()

/** The uploads of a cell. @param path of the cell @param onStored called after each file */
export function useUploads(path: string, onStored: () => Promise<unknown>) {
  const queue = useMemo(() => queues.get(path) ?? new UploadQueue(path), [path])
  useEffect(() => {
    queue.onStored = onStored
  }, [queue, onStored])
  return { queue, uploads: useSyncExternalStore(queue.subscribe, () => queue.uploads) }
}

/**
 * Uploads one file to a cell.
 * @param path of the cell
 * @param onProgress called with the fraction that has been sent, from 0 to 1
 * @throws ApiError, AbortError
 */
async function uploadFile(path: string, file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<void> {
  const upload = { headers: { 'content-type': 'application/octet-stream' }, body: () => file, signal }
  const response = await sendUpload(`${path}?${new URLSearchParams({ name: file.name })}`, upload, (sent, all) =>
    onProgress(all > 0 ? sent / all : 0),
  )
  if (!response.ok) throw await toApiError(response)
}
