import type { Storage } from '../storage/storage'

const namesOfPage = 500

export type StoredName = { name: string; size: number }

/** Yields all names of a storage in batches. */
export async function* pagesOf(storage: Storage, signal: AbortSignal): AsyncGenerator<StoredName[]> {
  let page: StoredName[] = []
  for await (const found of storage.list()) {
    signal.throwIfAborted()
    page.push(found)
    if (page.length < namesOfPage) continue
    yield page
    page = []
  }
  yield page
}
