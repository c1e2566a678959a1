import { mostRecords, RecordBody } from './model'

/** What the record routes answer. They send PostgreSQL's JSON as it is, so there is no schema that a route would check. */
const json = (schema: object) => ({ 'application/json': { schema } })

const text = { type: 'string' } as const

const etag = { ETag: { schema: text, description: 'The version of the record, for If-None-Match and If-Match.' } }

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: text,
  description: 'ETags of the versions that may be changed; with another one: 412, and the current record in `details.current`.',
} as const

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: text,
  description: 'ETags that the caller has; when the current one is among them: 304.',
} as const

const oneRecord = { description: 'The record.', headers: etag, content: json(RecordBody) }

const key = 'The primary key stands in the path as text; a composite key is its parts joined by commas, each percent-encoded.'

const list = {
  type: 'object',
  required: ['records', 'nextCursor'],
  properties: {
    records: { type: 'array', items: RecordBody },
    nextCursor: { type: ['string', 'null'], description: 'Send it as `cursor` for the next page; null on the last.' },
  },
}

export const describeList = {
  summary: 'List records',
  description: 'In the order of the primary key.',
  responses: { 200: { description: 'A page of records.', content: json(list) } },
}

export const describeCreate = {
  summary: 'Make one record or several',
  description: `An array, of at most ${mostRecords} records, is made whole or not at all.`,
  responses: {
    201: {
      description:
        'The record as it is stored, or the records in the order in which they were sent. ETag and Location: for one record only.',
      headers: { ...etag, Location: { schema: text, description: 'The address of the record.' } },
      content: json({ oneOf: [RecordBody, { type: 'array', items: RecordBody }] }),
    },
  },
}

export const describeRead = {
  summary: 'Read a record',
  description: key,
  parameters: [ifNoneMatch],
  responses: { 200: oneRecord, 304: { description: 'The caller has this version already.', headers: etag } },
}

export const describeUpdate = {
  summary: 'Change some columns of a record',
  description: `${key} If-Match guards against lost updates.`,
  parameters: [ifMatch],
  responses: { 200: oneRecord },
}

export const describeDelete = {
  summary: 'Delete a record',
  description: key,
  parameters: [ifMatch],
  responses: { 204: { description: 'The record is gone.' } },
}
