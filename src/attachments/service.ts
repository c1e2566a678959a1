import type { Executor } from '../db/pool/open'
import type { Deps } from '../deps'
import { conflict, invalidRequest, notFound, unavailable } from '../errors'
import { translatable } from '../messages/message'
import type { Statement } from '../records/query/sql/statement'
import { throwReadFailure, throwWriteFailure } from '../records/store/errors'
import { accessDenied } from '../records/store/rights'
import { isUuid } from '../tables/column-types/uuid'
import type { Column, Table } from '../tables/model'
import { allowsRead } from '../tables/row-rules'
import { finderOf } from './finder'
import { countUpTo, storeIncoming } from './intake'
import { deleteLoose, takeUploadLease } from './loose-files'
import type { Cell, FileRow, FileView, Incoming, NewFile } from './model'
import { attachStatement, countFilesStatement, detachStatement } from './statements'

type Attachments = Pick<Deps, 'db' | 'config' | 'storage' | 'storageIdentity' | 'events'>

const noFile = () => notFound(translatable('There is no such file.'))
const noRecord = () => notFound(translatable('There is no record with this key.'))

/** @param reference the column's id or name @throws Failure not_found */
export function attachmentColumn(table: Table, reference: string): Column {
  const named = isUuid(reference) ? reference.toLowerCase() : null
  const column = table.columns.find(({ id }) => id === named) ?? table.columns.find(({ name }) => name === reference)
  if (column?.type !== 'attachment' || column.access?.isHidden) throw notFound(translatable('There is no such attachment column.'))
  return column
}

const query = <Row extends object>({ db }: { db: Executor }, { text, parameters }: Statement) => db.query<Row>(text, parameters)

/** The maximum number of files in the cell: the column's, limited by the settings. */
const maxFilesOf = ({ column }: Cell, { maxCellFiles }: Attachments['config']): number =>
  Math.min(maxCellFiles, typeof column.options.maxFiles === 'number' ? column.options.maxFiles : maxCellFiles)

const fullCell = (mostFiles: number) =>
  conflict(translatable('This cell accepts at most {mostFiles} {mostFiles|file|files}.', { mostFiles }), {
    details: { limitFiles: mostFiles },
    hint: translatable('Remove one first, or send ?replace=1 to replace the existing files.'),
  })

/**
 * Checks, before the first byte is read, that the record exists and its cell has room. @throws Failure not_found,
 * conflict
 */
export async function requireRoom(deps: Attachments, cell: Cell, isReplacing: boolean): Promise<void> {
  const held = await countFiles(deps, cell)
  const mostFiles = maxFilesOf(cell, deps.config)
  if (!isReplacing && held >= mostFiles) throw fullCell(mostFiles)
}

/** @throws Failure not_found, forbidden */
async function countFiles(deps: Attachments, cell: Cell): Promise<number> {
  const [row] = await query<{ count: number; isOpen: boolean }>(deps, countFilesStatement(cell)).catch(throwReadFailure)
  if (!row) throw noRecord()
  if (!row.isOpen) throw accessDenied(cell.table, 'update')
  return row.count
}

/**
 * How files are put into a cell. `current` is called once all bytes have arrived: it returns the cell under its current
 * names if the caller may still change it.
 */
export type FileUpload = { isReplacing: boolean; userId: string | null; current?: () => Promise<Cell> }

/**
 * Answers an upload whose bytes are stored. `attach` puts the files into the cell; if it is not called, their bytes are
 * deleted.
 */
export type UploadAnswer<Answer> = (files: readonly NewFile[], attach: (executor: Executor) => Promise<FileView[]>) => Promise<Answer>

/**
 * Stores the files and puts them into the cell, either all of them or none. Changes the record's version.
 * @throws Failure like `storeIncoming`; not_found, conflict; invalid_request if there is no file
 */
export const uploadFiles = (deps: Attachments, cell: Cell, incoming: AsyncIterable<Incoming>, upload: FileUpload): Promise<FileView[]> =>
  answerUpload(deps, cell, incoming, upload, (_files, attach) => attach(deps.db))

/**
 * Like `uploadFiles`, but the caller builds the answer.
 * @throws Failure like `uploadFiles`; the errors of `answer`
 */
export async function answerUpload<Answer>(
  deps: Attachments,
  before: Cell,
  incoming: AsyncIterable<Incoming>,
  { isReplacing, userId, current = async () => before }: FileUpload,
  answer: UploadAnswer<Answer>,
): Promise<Answer> {
  const mostFiles = maxFilesOf(before, deps.config)
  const accept = Array.isArray(before.column.options.accept) ? (before.column.options.accept as string[]) : []
  const allowance = { accepts: [accept], count: countUpTo(deps.config.maxUploadRequestBytes) }
  const lease = takeUploadLease(deps.db)
  const files: NewFile[] = []
  let storageId: string | null = null
  let [isAttached, isStored] = [false, false]
  try {
    for await (const file of incoming) {
      if (files.length >= mostFiles) throw fullCell(mostFiles)
      // The id is read before the first byte: if the files were moved away and back meanwhile, the storage has a new id
      // and may have been emptied.
      if (files.length === 0) storageId = await requireStorageId(deps)
      files.push(await storeIncoming(deps, await lease.add(), file, allowance))
    }
    if (files.length === 0) throw invalidRequest(translatable('The request contains no file.'))
    const cell = await current()
    const attach = async (executor: Executor) => {
      const statement = attachStatement(cell, { files, mostFiles: maxFilesOf(cell, deps.config), isReplacing, userId, storageId })
      const [row] = await query<{ place: string }>({ db: executor }, statement).catch((error) => throwWriteFailure(error, cell.table))
      if (!row) return explainMiss(deps, cell, files.length, isReplacing)
      isAttached = true
      return files.map((file) => toFileView(file, row.place))
    }
    const answered = await answer(files, attach)
    isStored = isAttached
    return answered
  } finally {
    // This is safe even if the outcome of the database write is unknown: if it succeeded, the loose rows are gone and
    // nothing is deleted.
    if (!isStored)
      await deleteLoose(deps, lease.ids).catch((error) =>
        deps.events.emit({ kind: 'background_failed', task: 'removing an upload that failed', error }),
      )
    lease.end()
  }
}

/** @throws Failure unavailable */
export async function requireStorageId({ storageIdentity }: Pick<Deps, 'storageIdentity'>): Promise<string | null> {
  await storageIdentity.require()
  return storageIdentity.id()
}

async function explainMiss(deps: Attachments, cell: Cell, count: number, isReplacing: boolean): Promise<never> {
  const held = await countFiles(deps, cell)
  const mostFiles = maxFilesOf(cell, deps.config)
  if (count + (isReplacing ? 0 : held) > mostFiles) throw fullCell(mostFiles)
  await deps.storageIdentity.requireAgain()
  throw unavailable(translatable('The upload was interrupted. Send it again.'))
}

const toFileView = ({ sha256: _, width, height, ...file }: NewFile, place: string): FileView => ({
  ...file,
  ...(width === null || height === null ? {} : { width, height }),
  url: place + file.id,
})

/** @throws Failure not_found unless table, record, column and file belong together (SEC-51) */
export async function getFile(deps: Attachments, cell: Cell, fileId: string): Promise<FileRow> {
  if (!isUuid(fileId)) throw noFile()
  if (!allowsRead(cell.table)) throw accessDenied(cell.table, 'read')
  if (cell.column.access?.isUnreadable) throw noFile()
  const file = await finderOf(deps.db, cell)(cell.key, fileId.toLowerCase()).catch(throwReadFailure)
  if (!file) throw noFile()
  return file
}

/**
 * Takes the file out of the cell. Its bytes stay for a while, in case a backup of the table is restored.
 * @throws Failure not_found
 */
export async function removeFile(deps: Attachments, cell: Cell, fileId: string, userId: string): Promise<void> {
  if (!isUuid(fileId)) throw noFile()
  const rows = await query(deps, detachStatement(cell, fileId.toLowerCase(), userId)).catch((error) => throwWriteFailure(error, cell.table))
  if (rows.length > 0) return
  if (cell.table.access) await countFiles(deps, cell)
  throw noFile()
}
