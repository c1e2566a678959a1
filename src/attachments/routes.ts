import { Elysia } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Actor } from '../auth/identity/actor'
import { reauthorize } from '../auth/identity/authorize'
import type { Deps } from '../deps'
import { notFound } from '../errors'
import { infoOf } from '../http/request-info'
import { translatable } from '../messages/message'
import { rawSegment, readKey } from '../records/store/key'
import { getTable } from '../tables/catalog/catalog'
import { describeDownload, describeFileRemoval, describeUpload } from './description'
import { answerFile, type DownloadRequest, renamed } from './download'
import { incomingFiles } from './incoming-files'
import { type Cell, DownloadQuery, type FileRow, isYes, type ThumbnailSize, UploadQuery } from './model'
import { attachmentColumn, getFile, removeFile, requireRoom, uploadFiles } from './service'
import type { Slice } from './storage/storage'
import { createThumbnails, thumbnailFormat } from './thumbnails'

/** Where `{pk}` stands in `/api/v1/tables/{tableId}/records/{pk}`, counted from the first segment. */
const keySegment = 5

type Address = { tableId: string; columnId: string }

export const attachmentRoutes = (deps: Deps) => {
  const thumbnails = createThumbnails(deps)

  const cellAt = async (actor: Actor, { tableId, columnId }: Address, request: Request): Promise<Cell> => {
    const table = await getTable(deps.catalog, actor, tableId)
    return { table, key: readKey(table, rawSegment(request.url, keySegment)), column: attachmentColumn(table, columnId) }
  }

  const open = async (file: FileRow, slice?: Slice) => {
    const bytes = await deps.storage.read(file.id, { size: file.size, slice })
    if (bytes) return bytes
    deps.events.emit({ kind: 'file_missing', fileId: file.id, place: deps.storage.place })
    throw notFound(
      translatable('The bytes of this file are missing or damaged.'),
      translatable('Ask who keeps the service: `rowhouse files check` says more.'),
    )
  }

  const answerPicture = async (asked: DownloadRequest, file: FileRow, size: ThumbnailSize) => {
    const format = thumbnailFormat(asked.request.headers.get('accept'), file.type)
    const bytes = await thumbnails(asked.actor.user.id, file, size, format)
    const length = bytes instanceof Blob ? bytes.size : null
    const picture = { name: renamed(file.name, format), type: `image/${format}`, size: length, tag: `${file.sha256}-${size}-${format}` }
    return answerFile(asked, { ...picture, isNegotiated: true }, async () => bytes)
  }

  return new Elysia({ name: 'attachments/routes', prefix: '/api/v1/tables/:tableId/records/:pk/attachments', tags: ['attachments'] })
    .use(authHooks(deps))
    .post(
      '/:columnId',
      async ({ actor, params, query, request, status }) => {
        const cell = await cellAt(actor, params, request)
        const isReplacing = isYes(query.replace)
        const files = incomingFiles(request, query.name, deps.config)
        await requireRoom(deps, cell, isReplacing)
        infoOf(request).takeTime(deps.config.transferTimeoutMs)
        // The bytes may take an hour to come: what counts is who may then, and what table and column are called by
        // then.
        const current = async () => {
          const still = await reauthorize(deps, request, { area: 'data', role: 'editor' })
          return cellAt(still, { tableId: cell.table.id, columnId: cell.column.id }, request)
        }
        return status(201, await uploadFiles(deps, cell, files, { isReplacing, userId: actor.user.id, current }))
      },
      { role: { least: 'editor', body: 'unread' }, query: UploadQuery, detail: describeUpload },
    )
    .get(
      '/:columnId/:fileId',
      async ({ actor, params, query, request }) => {
        const file = await getFile(deps, await cellAt(actor, params, request), params.fileId)
        const asked = { request, actor, isDownload: isYes(query.download) }
        return query.size
          ? answerPicture(asked, file, query.size)
          : answerFile(asked, { ...file, tag: file.sha256 }, (slice) => open(file, slice))
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
