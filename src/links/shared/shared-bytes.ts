import type { FileAnswers } from '../../attachments/file-answers'
import { toPictureRequest } from '../../attachments/model'
import { attachmentColumn, getFile } from '../../attachments/service'
import type { Deps } from '../../deps'
import { exactJson } from '../../exact-json'
import { readKey } from '../../records/store/key'
import { getTable } from '../../tables/catalog/catalog'
import { linkHeaders } from '../opening/headers'
import type { Opening } from '../opening/openings'
import { closedLink } from '../opening/refusal'
import { parametersOf } from '../opening/visit'
import { filesIn, placeOfFile, type SharedValues } from './shared-files'
import { readListedRecord, readSharedRecord } from './shared-record'

/**
 * The bytes of a file that an open link shows. Reads the record again as the link shows it, so that a file is available
 * only while a visible column contains it.
 * @throws Failure not_found
 */
export async function answerSharedFile(
  deps: Pick<Deps, 'db' | 'catalog' | 'config' | 'storage' | 'storageIdentity' | 'events'>,
  answer: FileAnswers,
  { link, actor }: Opening,
  fileId: string,
  request: Request,
): Promise<Response> {
  if (link.kind === 'document' || (link.kind === 'file' && link.fileId !== fileId)) throw closedLink()
  const row = parametersOf(request).get('row')
  if (link.kind === 'list' && row === null) throw closedLink()
  const shared = link.kind === 'list' ? await readListedRecord(deps, actor, link, row!) : await readSharedRecord(deps, actor, link, link)
  const sharedFile = filesIn(shared.outputs, exactJson(shared.json) as SharedValues).find(({ id }) => id === fileId)
  const filePath = sharedFile && placeOfFile(sharedFile)
  if (!filePath) throw closedLink()
  const table = await getTable(deps.catalog, shared.actor, filePath.tableId)
  const cell = { table, key: readKey(table, filePath.recordKey), column: attachmentColumn(table, filePath.columnId) }
  const file = await getFile(deps, cell, fileId)
  const parameters = parametersOf(request)
  const isDownload = parameters.has('download')
  const picture = toPictureRequest(parameters.get('size'), parameters.get('page'))
  return unframed(await answer({ request, actor: shared.actor, isDownload }, file, picture))
}

/** Whatever the file, no page may frame it, and no cache stores it. */
export function unframed(response: Response): Response {
  const { headers } = response
  const policy = (headers.get('content-security-policy') ?? '').replace(/;?\s*frame-ancestors [^;]*/, '')
  headers.set('content-security-policy', `${policy}; frame-ancestors 'none'`.replace(/^; /, ''))
  for (const [name, value] of Object.entries(linkHeaders)) headers.set(name, value)
  return response
}
