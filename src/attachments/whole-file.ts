import type { Deps } from '../deps'
import type { Cell, FileView, Incoming } from './model'
import { uploadFiles } from './service'

/** Puts a file that is in memory into a cell, beside those that are there. @throws Failure as `uploadFiles` */
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
