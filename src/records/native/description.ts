import { idempotencyKeyParameter } from '../idempotency'
import { mostRecords, RecordBody } from '../model'

/** The responses of the record routes. They send PostgreSQL's JSON unchanged, so a route has no schema to check. */
const json = (schema: object) => ({ 'application/json': { schema } })

const text = { type: 'string' } as const

const etag = { ETag: { schema: text, description: 'The version of the record, for If-None-Match and If-Match.' } }

const header = (name: string, description: string) => ({ name, in: 'header', required: false, schema: text, description }) as const
const parameter = (name: string, schema: object, description: string) =>
  ({ name, in: 'query', required: false, schema, description }) as const

const ifMatch = header(
  'If-Match',
  'ETags of the versions that may be changed; with another one: 412, and the current record in `details.current`.',
)
const ifNoneMatch = header('If-None-Match', 'ETags that the caller has; when the current one is among them: 304.')
const prefer = header('Prefer', '`return=minimal`: the answer has no body. `return=representation`: the records that a bulk write touched.')

const select = parameter('select', text, 'Columns, renamed or cast, and embedded relations: `id,name,author(name)`.')
const dryRun = parameter('dryRun', { type: 'boolean' }, 'Does everything, checks every constraint, answers as ever, and undoes it.')
const filter = parameter('q', text, 'Records in which a text column holds this. Any column’s name is a filter, too: `?age=gte.18`.')
const maxAffected = parameter('maxAffected', { type: 'integer', minimum: 0 }, 'With more records than this: 409, and nothing is done.')

const page = [
  select,
  filter,
  parameter('order', text, '`age.desc.nullslast,name`; the primary key comes last in any case.'),
  parameter('limit', { type: 'integer', minimum: 1, maximum: mostRecords }, 'Records in the answer (default 100).'),
  parameter('offset', { type: 'integer', minimum: 0 }, 'Records to leave out. For many, `cursor` is faster.'),
  parameter('cursor', text, 'The nextCursor of the previous page.'),
  parameter('count', { enum: ['none', 'exact', 'estimated'] }, 'Whether totalCount is answered, and how.'),
]

const one = { description: 'The record.', headers: etag, content: json(RecordBody) }
const empty = { description: 'Prefer: return=minimal.' }

const key = 'The path contains the primary key as text: for a composite key, its parts joined by commas, each percent-encoded.'

const records = { type: 'array', items: RecordBody }

const envelope = {
  type: 'object',
  required: ['records', 'nextCursor'],
  properties: {
    records,
    nextCursor: { type: ['string', 'null'], description: 'Send it as `cursor` for the next page; null on the last.' },
    nextOffset: { type: ['integer', 'null'], description: 'Instead of a cursor, for a table without a primary key and for aggregates.' },
    totalCount: { type: 'integer', description: 'With `count` only.' },
  },
}

const affected = {
  type: 'object',
  required: ['affected'],
  properties: { affected: { type: 'integer' }, records: { ...records, description: 'With Prefer: return=representation.' } },
}

export const list = {
  summary: 'List records',
  description: 'Filters, order, embedding and aggregates in PostgREST’s grammar: docs/records.md.',
  parameters: page,
  responses: { 200: { description: 'A page of records.', content: json(envelope) } },
}

export const create = {
  summary: 'Create one or more records',
  description: `An array, of at most ${mostRecords} records, is created completely or not at all.`,
  parameters: [select, dryRun, prefer, idempotencyKeyParameter],
  responses: {
    201: {
      description:
        'The record as it is stored, or the records in the order in which they were sent. ETag and Location: for one record only.',
      headers: { ...etag, Location: { schema: text, description: 'The URL of the record.' } },
      content: json({ oneOf: [RecordBody, records] }),
    },
  },
}

export const updateMany = {
  summary: 'Update all records that match a filter',
  description: 'A filter is required. All or nothing.',
  parameters: [filter, select, maxAffected, dryRun, prefer],
  responses: { 200: { description: 'The number of records.', content: json(affected) }, 204: empty },
}

export const deleteMany = {
  summary: 'Delete all records that match a filter',
  description: 'A filter is required. All or nothing.',
  parameters: [filter, select, maxAffected, dryRun, prefer],
  responses: { 200: { description: 'The number of records.', content: json(affected) }, 204: empty },
}

export const read = {
  summary: 'Read a record',
  description: `${key} With another \`select\` than the whole record, the ETag is a hash of the answer.`,
  parameters: [select, ifNoneMatch],
  responses: { 200: one, 304: { description: 'The caller has this version already.', headers: etag } },
}

export const update = {
  summary: 'Update a record',
  description: `${key} If-Match guards against lost updates.`,
  parameters: [select, dryRun, ifMatch, prefer],
  responses: { 200: one, 204: empty },
}

export const replace = {
  summary: 'Create or replace a record',
  description: `${key} What the body does not name gets its column’s default. If-None-Match: * makes, and never replaces.`,
  parameters: [select, dryRun, ifMatch, prefer],
  responses: { 200: one, 201: one, 204: empty },
}

export const remove = {
  summary: 'Delete a record',
  description: key,
  parameters: [dryRun, ifMatch],
  responses: { 204: { description: 'The record is deleted.' } },
}

export const batch = {
  summary: 'Perform several writes at once',
  description:
    'In one transaction: all are done or none. A failure is answered with its own status and, in `details.index`, the operation’s place.',
  parameters: [dryRun, idempotencyKeyParameter],
  responses: {
    200: {
      description: 'The responses of the operations, in their order.',
      content: json({
        type: 'object',
        required: ['results'],
        properties: {
          results: {
            type: 'array',
            items: { type: 'object', required: ['status'], properties: { status: { type: 'integer' }, body: RecordBody, etag: text } },
          },
        },
      }),
    },
  },
}
