import { t } from 'elysia'
import { idempotencyKeyParameter } from '../records/idempotency'
import { DownloadQuery, FileView, UploadQuery } from './model'

const bytes = { type: 'string', format: 'binary' } as const
const any = { '*/*': { schema: bytes } } as const
const textSchema = { type: 'string' } as const

const place = 'The column is named by its id or its name. All parts of the address have to belong together; else 404.'

const header = (name: string, description: string) => ({ name, in: 'header', required: false, schema: textSchema, description }) as const

/** A described header would otherwise replace the parameters that the route checks. */
const parametersOf = ({ properties }: typeof UploadQuery | typeof DownloadQuery) =>
  Object.entries(properties).map(
    ([name, { description, ...schema }]) => ({ name, in: 'query', required: false, schema: schema as object, description }) as const,
  )

export const describeUpload = {
  summary: 'Attach files to a record',
  description: `The body is a form with files, or one file with its name in the query. ${place} What a file is, its bytes say. The record gets a new version.`,
  parameters: [...parametersOf(UploadQuery), idempotencyKeyParameter],
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': { schema: { type: 'object', properties: { file: { type: 'array', items: bytes } as const } } as const },
      ...any,
    },
  },
  // Declared here rather than as the route's `response`: the plugin that generates the API description does not support
  // arrays there.
  responses: { 201: { description: 'The new files.', content: { 'application/json': { schema: t.Array(FileView) as object } } } },
}

const fileHeaders = {
  ETag: { schema: textSchema, description: 'A hash of the bytes.' },
  'Content-Disposition': { schema: textSchema, description: 'The name, and whether browsers display the file or save it.' },
} as const

const pageHeaders = {
  'Rowhouse-Page-Count': { schema: textSchema, description: 'The number of pages of a PDF. Sent with a newly drawn page.' },
} as const

export const describeDownload = {
  summary: 'Download a file',
  description: `${place} A HEAD answers the headers alone.`,
  parameters: [
    ...parametersOf(DownloadQuery),
    header('Range', 'One range of bytes.'),
    header('If-None-Match', 'ETags that the caller has; when the current one is among them: 304.'),
    header('If-Range', 'The ETag that the range belongs to; with another one all bytes are sent.'),
  ],
  responses: {
    200: { description: 'The whole file, or a smaller picture.', headers: { ...fileHeaders, ...pageHeaders }, content: any },
    206: { description: 'The range.', headers: fileHeaders, content: any },
    304: { description: 'The caller has it already.' },
    416: { description: 'The range is outside of the file.' },
  },
}

export const describeFileRemoval = {
  summary: 'Remove a file from a record',
  description: `${place} The record gets a new version. The bytes are deleted after a while (ROWHOUSE_FILES_GRACE).`,
  responses: { 204: { description: 'The record no longer has the file.' } },
} as const
