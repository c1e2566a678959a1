import type { FileInfo, Key, StoredFile } from 'rowhouse/plugin'
import type { Cell, Incoming } from '../../attachments/model'
import { attachmentColumn, getFile, requireRoom, uploadFiles } from '../../attachments/service'
import { notFound } from '../../errors'
import { translatable } from '../../messages/message'
import type { DataAccess, HostDeps } from './data-access'
import { recordAccess, recordKeyOf } from './records'

type NewFile = { name: string; bytes: string | Uint8Array | Blob | AsyncIterable<Uint8Array> }

/** Attachments, with the rights of `access`. */
export function fileAccess(deps: HostDeps, access: DataAccess) {
  const cellOf = async (name: string, key: Key, column: string, doing: 'read' | 'write'): Promise<Cell> => {
    const { table } = await access.getTable(name, doing)
    return { table, key: recordKeyOf(table, key), column: attachmentColumn(table, column) }
  }

  const list = async (name: string, key: Key, column: string): Promise<FileInfo[]> => {
    const cell = await cellOf(name, key, column, 'read')
    const record = await recordAccess(deps.db, access, name).find(key)
    if (!record) throw notFound(translatable('There is no record with this key.'))
    return (record[cell.column.name] ?? []) as FileInfo[]
  }

  const read = async (name: string, key: Key, column: string, id?: string): Promise<StoredFile | null> => {
    const cell = await cellOf(name, key, column, 'read')
    const fileId = id ?? (await list(name, key, column))[0]?.id
    if (fileId === undefined) return null
    const { sha256: _, ...file } = await getFile(deps, cell, fileId)
    const open = async () => new Response((await deps.storage.read(file.id, { size: file.size })) ?? missing(deps, file.id))
    return { ...file, bytes: async () => new Uint8Array(await (await open()).arrayBuffer()), stream: async () => (await open()).body! }
  }

  const write = async (name: string, key: Key, column: string, files: NewFile | NewFile[], options: { replace?: boolean } = {}) => {
    const cell = await cellOf(name, key, column, 'write')
    const isReplacing = options.replace === true
    await requireRoom(deps, cell, isReplacing)
    return uploadFiles(deps, cell, incoming([files].flat(), access), { isReplacing, userId: access.userId })
  }

  return Object.freeze({ list, read, write })
}

function missing({ events, storage }: HostDeps, fileId: string): never {
  events.emit({ kind: 'file_missing', fileId, place: storage.place })
  throw notFound(translatable('The bytes of this file are missing or damaged.'))
}

async function* incoming(files: NewFile[], access: DataAccess): AsyncGenerator<Incoming> {
  for (const { name, bytes } of files) yield { name, bytes: chunksOf(bytes, access) }
}

/** Stops the file when the call ends, so that it is never stored partially. */
async function* chunksOf(bytes: NewFile['bytes'], { ending }: DataAccess): AsyncGenerator<Uint8Array> {
  if (typeof bytes === 'string') yield new TextEncoder().encode(bytes)
  else if (bytes instanceof Uint8Array) yield bytes
  else
    for await (const chunk of (bytes instanceof Blob ? bytes.stream() : bytes) as AsyncIterable<Uint8Array>) {
      ending.throwIfAborted()
      yield chunk
    }
  ending.throwIfAborted()
}
