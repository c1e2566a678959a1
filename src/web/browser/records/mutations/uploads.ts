import { useSyncExternalStore } from 'react'

/** `key` is the idempotency key: an upload whose response was lost is stored once when it is sent again. */
export type Upload = {
  id: number
  file: File
  key: string
  share: number
  state: 'waiting' | 'sending' | 'failed'
  failure?: unknown
}

/** The uploads of a cell, which `UploadQueue` sends; its code is loaded with the first one. */
type CellUploadList = { uploads: readonly Upload[]; retry: (id: number) => void; cancel: (id: number) => void }

const uploadsByPath = new Map<string, CellUploadList>()
const listeners = new Set<() => void>()
const noUploads: readonly Upload[] = []

/** @param path of the cell */
export const uploadsAt = (path: string): CellUploadList | undefined => uploadsByPath.get(path)

/** Shows a changed list of uploads. @param list null for none */
export function setUploads(path: string, list: CellUploadList | null) {
  list ? uploadsByPath.set(path, list) : uploadsByPath.delete(path)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The uploads of a cell. @param path of the cell */
export const useUploads = (path: string): readonly Upload[] =>
  useSyncExternalStore(subscribe, () => uploadsByPath.get(path)?.uploads ?? noUploads)
