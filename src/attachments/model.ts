import { t } from 'elysia'
import type { Column, Table } from '../tables/model'

/** One cell that holds files. `key` holds the parts of the record's primary key as text. */
export type Cell = { table: Table; key: readonly string[]; column: Column }

/**
 * A file being uploaded. `name` is unchanged from the client. A chunk of the bytes is only valid until the next one is
 * requested.
 */
export type Incoming = { name: string; bytes: AsyncIterable<Uint8Array> }

/**
 * A file whose bytes are stored. `width` and `height` in pixels, as displayed; null for types other than images.
 * `sha256` in base64url.
 */
export type NewFile = {
  id: string
  name: string
  size: number
  type: string
  sha256: string
  width: number | null
  height: number | null
}

/** A file as stored in the database. */
export type FileRow = Omit<NewFile, 'width' | 'height'>

/** Pages that embed a URL may add their own parameters. */
const open = { additionalProperties: true }

/** A file in API responses, also within a record. */
export const FileView = t.Object({
  id: t.String({ format: 'uuid' }),
  name: t.String(),
  size: t.Integer({ description: 'Bytes.' }),
  type: t.String({ description: 'Detected from the bytes.' }),
  width: t.Optional(t.Integer({ description: 'In pixels, as displayed.' })),
  height: t.Optional(t.Integer()),
  url: t.String({ description: 'The URL of the bytes, without a token.' }),
})
export type FileView = typeof FileView.static

/**
 * `?replace` alone means yes. An unknown value is rejected, since not every caller can undo the replacement of the
 * existing files.
 */
const yesOrNo = (description: string) =>
  t.Optional(
    t.Union(
      ['', '1', 'true', '0', 'false'].map((word) => t.Literal(word)),
      { description },
    ),
  )

export const isYes = (word: string | undefined): boolean => word !== undefined && word !== '0' && word !== 'false'

export const UploadQuery = t.Object(
  {
    name: t.Optional(t.String({ maxLength: 1000, description: 'The name of the file, if the body is the file itself.' })),
    replace: yesOrNo('1: the files take the place of those in the cell.'),
  },
  open,
)

/** Further pages of a PDF are not displayed. */
const pageNumber = /^[1-9]\d{0,5}$/

export const DownloadQuery = t.Object(
  {
    size: t.Optional(
      t.Union([t.Literal('small'), t.Literal('large')], {
        description: 'A smaller picture, or a page of a PDF: at most 320 or 1600 pixels in each direction.',
      }),
    ),
    page: t.Optional(t.String({ pattern: pageNumber.source, description: 'With `size`: the page of a PDF, from 1.' })),
    download: t.Optional(t.String({ description: 'If present and not 0, the file is saved instead of displayed.' })),
  },
  open,
)

export type ThumbnailSize = 'small' | 'large'

/** A thumbnail of a file; `page` counts from 1. */
export type PictureRequest = { size: ThumbnailSize; page: number }

/** Null if the file itself is requested. */
export const toPictureRequest = (size: string | null | undefined, page: string | null | undefined): PictureRequest | null =>
  size === 'small' || size === 'large' ? { size, page: page && pageNumber.test(page) ? Number(page) : 1 } : null

/** A page of a PDF to draw: `page` counts from 1, and `box` is the maximum width and height in pixels. */
export type PageJob = { pdf: Uint8Array; page: number; box: number; pictureFormat: 'webp' | 'png' | 'jpeg' }

/** A page as an image, or the reason why there is none. */
export type DrawnPage = { bytes: Uint8Array; pageCount: number } | { undrawn: 'encrypted' | 'damaged' | 'no_such_page' }
