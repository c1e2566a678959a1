import type { Deps } from '../deps'
import { notFound } from '../errors'
import { infoOf } from '../http/request/request-info'
import { translatable } from '../messages/message'
import type { Slice } from '../object-store/slice'
import { matchesNone } from '../records/store/etag'
import { answerFile, type DownloadRequest, rejectRunning, renamed } from './download'
import { isPdf } from './file-type'
import type { FileRow, PictureRequest } from './model'
import { createThumbnails, thumbnailFormat } from './thumbnails'

/**
 * Responds with the bytes of a file, or with a thumbnail of it. The caller's right to read it has been checked.
 * @throws Failure not_found if the bytes are missing, and like `answerFile`
 */
export type FileAnswers = (asked: DownloadRequest, file: FileRow, picture: PictureRequest | null) => Promise<Response>

/** Created once for all routes, because few thumbnails are made at a time. */
export function createFileAnswers(deps: Pick<Deps, 'storage' | 'renderer' | 'events'>): FileAnswers {
  const thumbnails = createThumbnails(deps)

  const open = async (file: FileRow, slice?: Slice) => {
    const bytes = await deps.storage.read(file.id, { size: file.size, slice })
    if (bytes) return bytes
    deps.events.emit({ kind: 'file_missing', fileId: file.id, place: deps.storage.place })
    throw notFound(
      translatable('The bytes of this file are missing or damaged.'),
      translatable('Ask your administrator to run `rowhouse files check`.'),
    )
  }

  const answerPicture = async (asked: DownloadRequest, file: FileRow, { size, page }: PictureRequest) => {
    rejectRunning(asked.request)
    const { headers } = asked.request
    const format = thumbnailFormat(headers.get('accept'), file.type)
    const tag = `${file.sha256}-${size}${page > 1 ? `-${page}` : ''}-${format}`
    const owned = headers.get('if-none-match')
    // Most pages are not stored, so a page is not drawn again for a caller who already has it. `*` does not prove that
    // the page exists.
    const isCached = isPdf(file.type) && !owned?.includes('*') && matchesNone(owned, tag)
    const { scope } = infoOf(asked.request)
    const requester = { caller: scope.caller ?? asked.actor.user.id, signal: scope.signal }
    const { bytes, pageCount } = isCached ? { bytes: new Blob() } : await thumbnails(requester, file, { size, page, format })
    const picture = { name: renamed(file.name, format), type: `image/${format}`, size: bytes instanceof Blob ? bytes.size : null, tag }
    const response = await answerFile(asked, { ...picture, isNegotiated: true }, async () => bytes)
    if (pageCount !== undefined) response.headers.set('rowhouse-page-count', String(pageCount))
    return response
  }

  return (asked, file, picture) =>
    picture ? answerPicture(asked, file, picture) : answerFile(asked, { ...file, tag: file.sha256 }, (slice) => open(file, slice))
}
