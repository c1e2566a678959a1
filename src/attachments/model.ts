import { t } from 'elysia'
import type { Column, Table } from '../tables/model'

/** One cell that holds files. `key` holds the parts of the record's primary key as text. */
export type Cell = { table: Table; key: readonly string[]; column: Column }

/**
 * A file being uploaded. `name` is as the client sent it. A chunk of the bytes is only valid until the next one is
 * requested.
 */
export type Incoming = { name: string; bytes: AsyncIterable<Uint8Array> }

/**
 * A file whose bytes are safe. `width` and `height` in pixels, as displayed; null for other types than images. `sha256`
 * in base64url.
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

/** Pages that embed a URL may add parameters of their own to it. */
const open = { additionalProperties: true }

/** A file in API responses, also within a record. */
export const FileView = t.Object({
  id: t.String({ format: 'uuid' }),
  name: t.String(),
  size: t.Integer({ description: 'Bytes.' }),
  type: t.String({ description: 'Found in the bytes.' }),
  width: t.Optional(t.Integer({ description: 'Pixels, of a picture as it is shown.' })),
  height: t.Optional(t.Integer()),
  url: t.String({ description: 'The address of the bytes, without any token.' }),
})
export type FileView = typeof FileView.static

/**
 * `?replace` alone means yes. An unknown word is rejected: not everybody can undo the replacement of the existing
 * files.
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
    name: t.Optional(t.String({ maxLength: 1000, description: 'Of the file, where the body is the file itself.' })),
    replace: yesOrNo('1: the files take the place of those in the cell.'),
  },
  open,
)

export const DownloadQuery = t.Object(
  {
    size: t.Optional(
      t.Union([t.Literal('small'), t.Literal('large')], {
        description: 'A smaller picture: at most 320 or 1600 pixels in each direction.',
      }),
    ),
    download: t.Optional(t.String({ description: 'Present, and not 0: saved instead of shown.' })),
  },
  open,
)

export type ThumbnailSize = 'small' | 'large'
