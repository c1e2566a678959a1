import { t } from 'elysia'
import type { Column, Table } from '../tables/model'

/** One cell that holds files. `key` are the parts of the record's primary key as text. */
export type Cell = { table: Table; key: readonly string[]; column: Column }

/**
 * A file on its way in. `name` is as it was sent. A chunk of the bytes is only good until the next one is asked for.
 */
export type Incoming = { name: string; bytes: AsyncIterable<Uint8Array> }

/**
 * A file whose bytes are safe. `width` and `height` in pixels, as shown; null for what is no picture. `sha256` in
 * base64url.
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

/** A file as the database knows it. */
export type FileRow = Omit<NewFile, 'width' | 'height'>

/** Whoever puts an address into a page may add to it what only the page knows. */
const open = { additionalProperties: true }

/** A file as it leaves, in a record too. */
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
 * `?replace` alone is a yes. Another word is refused: what it does to the files that are there cannot be taken back by
 * everybody.
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
