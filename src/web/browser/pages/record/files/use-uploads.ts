import { useEffect, useRef, useState } from 'react'
import { toApiError } from '../../../api/api-error'
import { sendUpload } from '../../../api/upload'

export type Upload = { id: number; file: File; share: number; state: 'waiting' | 'sending' | 'failed'; failure?: unknown }

let lastId = 0

/** Uploads files to a cell, one after the other. @param path of the cell @param arrived called after each file */
export function useUploads(path: string, arrived: () => Promise<unknown>) {
  const [uploads, setUploads] = useState<Upload[]>([])
  const cancels = useRef(new Map<number, () => void>())
  const isBusy = useRef(false)

  const set = (id: number, change: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.id === id ? { ...each, ...change } : each)))
  const drop = (id: number) => setUploads((all) => all.filter((each) => each.id !== id))

  async function send({ id, file }: Upload) {
    isBusy.current = true
    set(id, { state: 'sending' })
    const { done, cancel } = uploadFile(path, file, (share) => set(id, { share }))
    cancels.current.set(id, cancel)
    try {
      await done
      await arrived()
      drop(id)
    } catch (failure) {
      if (failure instanceof DOMException) drop(id)
      else set(id, { state: 'failed', failure })
    } finally {
      cancels.current.delete(id)
      isBusy.current = false
    }
  }

  const next = uploads.find(({ state }) => state === 'waiting')
  const isSending = uploads.some(({ state }) => state === 'sending')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next upload starts when the previous one has ended, and at no other time
  useEffect(() => {
    if (next && !isSending && !isBusy.current) void send(next)
  }, [next?.id, isSending])

  return {
    uploads,
    add: (files: Iterable<File>) => {
      const added = [...files].map((file): Upload => ({ id: ++lastId, file, share: 0, state: 'waiting' }))
      setUploads((all) => [...all, ...added])
    },
    cancel: (id: number) => {
      cancels.current.get(id)?.()
      drop(id)
    },
    retry: (id: number) => set(id, { state: 'waiting', share: 0, failure: undefined }),
  }
}

type RunningUpload = { done: Promise<void>; cancel: () => void }

/**
 * Uploads one file to a cell.
 * @param path of the cell
 * @param onProgress called with the fraction that has been sent, from 0 to 1
 */
function uploadFile(path: string, file: File, onProgress: (share: number) => void): RunningUpload {
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
