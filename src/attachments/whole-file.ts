import type { Deps } from '../deps'
import type { Cell, FileView, Incoming } from './model'
import { uploadFiles } from './service'

/** Adds a file that is in memory to the files of a cell. @throws Failure like `uploadFiles` */
export const storeFile =
  (deps: Pick<Deps, 'db' | 'config' | 'storage' | 'storageIdentity' | 'events'>) =>
  (cell: Cell, name: string, bytes: Uint8Array, userId: string): Promise<FileView[]> =>
    uploadFiles(deps, cell, one(name, bytes), { isReplacing: false, userId })

async function* one(name: string, bytes: Uint8Array): AsyncGenerator<Incoming> {
  yield { name, bytes: whole(bytes) }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
