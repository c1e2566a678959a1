import { Elysia } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Actor } from '../auth/identity/actor'
import { reauthorize } from '../auth/identity/authorize'
import type { Deps } from '../deps'
import { infoOf } from '../http/request/request-info'
import { hasAnswer, readKeyedRequest, respondOnce, withoutRules } from '../records/idempotency'
import { throwWriteFailure } from '../records/store/errors'
import { rawSegment, readKey } from '../records/store/key'
import { getTable } from '../tables/catalog/catalog'
import { describeDownload, describeFileRemoval, describeUpload } from './description'
import type { FileAnswers } from './file-answers'
import { incomingFiles } from './incoming-files'
import { type Cell, DownloadQuery, isYes, type NewFile, toPictureRequest, UploadQuery } from './model'
import { answerUpload, attachmentColumn, getFile, removeFile, requireRoom, type UploadAnswer } from './service'

/** The position of `{pk}` in `/api/v1/tables/{tableId}/records/{pk}`, counted from the first segment. */
const keySegment = 5

type Address = { tableId: string; columnId: string }

/** Identifies the contents of an upload, however its body was sent. */
const contentsOf = (files: readonly NewFile[]) => JSON.stringify(files.map(({ name, sha256 }) => [name, sha256]))

export const attachmentRoutes = (deps: Deps, answer: FileAnswers) => {
  const cellAt = async (actor: Actor, { tableId, columnId }: Address, request: Request): Promise<Cell> => {
    const table = await getTable(deps.catalog, actor, tableId)
    return { table, key: readKey(table, rawSegment(request.url, keySegment)), column: attachmentColumn(table, columnId) }
  }

  return new Elysia({ name: 'attachments/routes', prefix: '/api/v1/tables/:tableId/records/:pk/attachments', tags: ['attachments'] })
    .use(authHooks(deps))
    .post(
      '/:columnId',
      async ({ actor, params, query, request }) => {
        const cell = await cellAt(actor, params, request)
        const isReplacing = isYes(query.replace)
        const files = incomingFiles(request, query.name, deps.config)
        const keyed = readKeyedRequest(request, actor, '', withoutRules)
        // The files of an upload that is sent again may have filled the cell.
        if (!keyed || !(await hasAnswer(deps.db, keyed))) await requireRoom(deps, cell, isReplacing)
        infoOf(request).takeTime(deps.config.transferTimeoutMs)
        // The upload may take an hour: the caller's rights and the names of the table and the column are read again at
        // its end.
        const current = async () => {
          const still = await reauthorize(deps, request, { area: 'data', role: 'editor' })
          return cellAt(still, { tableId: cell.table.id, columnId: cell.column.id }, request)
        }
        const answerOnce: UploadAnswer<Response> = (stored, attach) =>
          respondOnce(
            deps.db,
            readKeyedRequest(request, actor, contentsOf(stored), withoutRules),
            async (executor) => Response.json(await attach(executor), { status: 201 }),
            (error) => throwWriteFailure(error, cell.table),
          )
        return answerUpload(deps, cell, files, { isReplacing, userId: actor.user.id, current }, answerOnce)
      },
      { role: { least: 'editor', body: 'unread' }, query: UploadQuery, detail: describeUpload },
    )
    .get(
      '/:columnId/:fileId',
      async ({ actor, params, query, request }) => {
        const file = await getFile(deps, await cellAt(actor, params, request), params.fileId)
        return answer({ request, actor, isDownload: isYes(query.download) }, file, toPictureRequest(query.size, query.page))
      },
      { signedIn: 'data', query: DownloadQuery, detail: describeDownload },
    )
    .delete(
      '/:columnId/:fileId',
      async ({ actor, params, request, set }) => {
        await removeFile(deps, await cellAt(actor, params, request), params.fileId, actor.user.id)
        set.status = 204
      },
      { role: 'editor', detail: describeFileRemoval },
    )
}
