import { countUpTo, storeIncoming } from '../attachments/intake'
import { deleteLoose, takeUploadLease, type UploadLease } from '../attachments/loose-files'
import type { NewFile } from '../attachments/model'
import { requireStorageId } from '../attachments/service'
import { attachStatement } from '../attachments/statements'
import type { Executor } from '../db/pool/open'
import type { Deps } from '../deps'
import { Failure, type Problem, unavailable, validationFailed } from '../errors'
import type { FilePart } from '../http/request/multipart'
import { translatable } from '../messages/message'
import { pointerTo } from '../records/store/pointer'
import type { Table } from '../tables/model'
import type { ResolvedField } from './fields'

type FileDeps = Pick<Deps, 'db' | 'config' | 'storage' | 'storageIdentity' | 'events'>

/** The files of one submission: stored as they arrive, and unowned until they are attached. */
export type SubmittedFiles = {
  add: (part: FilePart, column: string) => Promise<void>
  counts: () => Map<string, number>
  /** Puts the files of the visible fields into the new record. */
  attach: (executor: Executor, table: Table, key: readonly string[], visibleColumns: ReadonlySet<string>, userId: string) => Promise<void>
  /** Deletes the files that are in no record. */
  end: (isDone: boolean) => Promise<void>
}

export function receiveFiles(deps: FileDeps, fields: readonly ResolvedField[]): SubmittedFiles {
  const stored = new Map<string, NewFile[]>()
  const attached = new Set<string>()
  let lease: UploadLease | null = null
  let storageId: string | null = null
  const countAll = countUpTo(deps.config.maxUploadRequestBytes)

  const store = async ({ fileName, bytes }: FilePart, name: string) => {
    const field = fields.find(({ column }) => column.name === name)
    // For a field without a chosen file, a browser sends an empty part without a name.
    const source = bytes[Symbol.asyncIterator]()
    const first = await source.next()
    if (first.done && fileName === '') return
    if (!field?.files) throw validationFailed([problemAt(name, translatable('is not a field of this form'))])
    const { most, maxBytes, accept } = field.files
    const held = stored.get(name) ?? []
    if (held.length >= most) throw validationFailed([problemAt(name, translatable('accepts at most {most} {most|file|files}', { most }))])
    lease ??= takeUploadLease(deps.db)
    storageId ??= await requireStorageId(deps)
    const incoming = { name: fileName, bytes: continued(first, source) }
    const { accept: ofColumn } = field.column.options
    const accepts = [accept, Array.isArray(ofColumn) ? (ofColumn as string[]) : []]
    const allowance = { accepts, count: countAll, maxFileBytes: maxBytes }
    const file = await storeIncoming(deps, await lease.add(), incoming, allowance)
    stored.set(name, [...held, file])
  }

  const add = (part: FilePart, name: string) =>
    store(part, name).catch((error) => {
      throw atField(error, name)
    })

  const attach: SubmittedFiles['attach'] = async (executor, table, key, visibleColumns, userId) => {
    for (const { column, files } of fields) {
      const own = stored.get(column.name) ?? []
      if (own.length === 0 || !files || !visibleColumns.has(column.name)) continue
      // The rules have already allowed creating the record with this column; changing it is a separate right.
      const { access: _, ...whole } = table
      const cell = { table: whole, key, column: table.columns.find(({ id }) => id === column.id) ?? column }
      const { text, parameters } = attachStatement(cell, { files: own, mostFiles: files.most, isReplacing: false, userId, storageId })
      const rows = await executor.query(text, parameters)
      if (rows.length === 0) throw unavailable(translatable('The upload was interrupted. Send it again.'))
      for (const { id } of own) attached.add(id)
    }
  }

  const end = async (isDone: boolean) => {
    if (!lease) return
    const left = lease.ids.filter((id) => !isDone || !attached.has(id))
    await deleteLoose(deps, left).catch((error) =>
      deps.events.emit({ kind: 'background_failed', task: 'removing the files of a form that failed', error }),
    )
    lease.end()
  }
  return { add, counts: () => new Map([...stored].map(([name, files]) => [name, files.length])), attach, end }
}

/** The page of the form shows at the field why a file was refused. */
const atField = (error: unknown, name: string): unknown =>
  error instanceof Failure && ['payload_too_large', 'unsupported_media_type'].includes(error.kind)
    ? new Failure(error.kind, error.text, { ...error.extras, errors: [problemAt(name, error.text)] })
    : error

const problemAt = (name: string, message: Problem['message']): Problem => ({ path: pointerTo('', name), message })

async function* continued(first: IteratorResult<Uint8Array>, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = first; !next.done; next = await source.next()) yield next.value
}
