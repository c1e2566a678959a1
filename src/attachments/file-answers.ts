import type { Deps } from '../deps'
import { notFound } from '../errors'
import { translatable } from '../messages/message'
import type { Slice } from '../object-store/slice'
import { answerFile, type DownloadRequest, renamed } from './download'
import type { FileRow, ThumbnailSize } from './model'
import { createThumbnails, thumbnailFormat } from './thumbnails'

/**
 * Responds with the bytes of a file, or with a thumbnail of it. The caller's right to read it has been checked.
 * @throws Failure not_found if the bytes are missing, and like `answerFile`
 */
export type FileAnswers = (asked: DownloadRequest, file: FileRow, size?: ThumbnailSize) => Promise<Response>

/** Created once for all routes, because few thumbnails are made at a time. */
export function createFileAnswers(deps: Pick<Deps, 'storage' | 'events'>): FileAnswers {
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

  const answerPicture = async (asked: DownloadRequest, file: FileRow, size: ThumbnailSize) => {
    const format = thumbnailFormat(asked.request.headers.get('accept'), file.type)
    const bytes = await thumbnails(asked.actor.user.id, file, size, format)
    const length = bytes instanceof Blob ? bytes.size : null
    const picture = { name: renamed(file.name, format), type: `image/${format}`, size: length, tag: `${file.sha256}-${size}-${format}` }
    return answerFile(asked, { ...picture, isNegotiated: true }, async () => bytes)
  }

  return (asked, file, size) =>
    size ? answerPicture(asked, file, size) : answerFile(asked, { ...file, tag: file.sha256 }, (slice) => open(file, slice))
}
