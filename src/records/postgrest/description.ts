import { idempotencyKeyParameter } from '../idempotency'
import { RecordBody } from '../model'

/** The responses of the routes of `/rest/v1`, for `/swagger/json`. Their failures have PostgREST's form. */
const json = (schema: object) => ({ 'application/json': { schema } })

const text = { type: 'string' } as const
const rows = { type: 'array', items: RecordBody }

const inQuery = (name: string, description: string) => ({ name, in: 'query', required: false, schema: text, description }) as const
const inHeader = (name: string, description: string) => ({ name, in: 'header', required: false, schema: text, description }) as const

const select = inQuery('select', 'Columns, renamed or cast, and embedded relations. Any column’s name is a filter, too: `?age=gte.18`.')
const page = [
  inQuery('order', '`age.desc.nullslast,name`'),
  inQuery('limit', 'How many rows.'),
  inQuery('offset', 'How many to leave out before.'),
]
const schema = inHeader('Accept-Profile', 'The schema; `data` if it is not said.')
const written = inHeader('Content-Profile', 'The schema; `data` if it is not said.')
const prefer = inHeader('Prefer', '`return`, `resolution`, `missing`, `count`, `handling`, `max-affected`, `tx`.')
const accept = inHeader('Accept', '`application/vnd.pgrst.object+json` for one row bare, `text/csv`.')

const ranged = { 'Content-Range': { schema: text, description: 'The range of rows, and with `count` their total number.' } }
const found = { description: 'The rows.', headers: ranged, content: json(rows) }
const body = (what: object) => ({ required: true, content: json(what) })
const empty = { description: 'Done. With Prefer: return=representation there is a body.' }
const done = { 200: { description: 'Prefer: return=representation.', content: json(rows) }, 204: empty }

const asPostgrest = 'As PostgREST 12 does it; see docs/postgrest.md.'

export const describeRoot = {
  summary: 'Describe the tables in OpenAPI 2, for tools of PostgREST',
  parameters: [schema],
  responses: { 200: { description: 'OpenAPI 2.', content: json({ type: 'object' }) } },
}
export const describeRead = {
  summary: 'Read rows',
  description: asPostgrest,
  parameters: [select, ...page, prefer, accept, schema],
  responses: { 200: found, 206: { ...found, description: 'A part of the rows; the total number was requested.' } },
}
export const describeInsert = {
  summary: 'Insert or upsert rows',
  description: `${asPostgrest} The body may be CSV or a form, too.`,
  parameters: [
    select,
    inQuery('columns', 'Which names of the body count.'),
    inQuery('on_conflict', 'What an upsert is decided by.'),
    prefer,
    idempotencyKeyParameter,
    written,
  ],
  requestBody: body({ oneOf: [RecordBody, rows] }),
  responses: {
    200: { description: 'An upsert that created no row.', content: json(rows) },
    201: { description: 'Made.', content: json(rows) },
  },
}
export const describeUpdate = {
  summary: 'Update the rows that match the filters',
  description: `${asPostgrest} A filter is required.`,
  parameters: [select, prefer, written],
  requestBody: body(RecordBody),
  responses: done,
}
export const describePut = {
  summary: 'Insert or replace the row with this primary key',
  description: `${asPostgrest} The filters are the key: \`?id=eq.1\`.`,
  parameters: [select, prefer, written],
  requestBody: body(RecordBody),
  responses: done,
}
export const describeRemove = {
  summary: 'Delete the rows that match the filters',
  description: `${asPostgrest} A filter is required.`,
  parameters: [select, prefer, written],
  responses: done,
}

const result = {
  200: { description: 'The result of the function.', content: json({}) },
  204: { description: 'The function has no result.' },
}

export const describeCall = {
  summary: 'Call a read-only function',
  description: `${asPostgrest} The query contains its arguments. ROWHOUSE_RPC names the functions.`,
  parameters: [select, ...page, schema],
  responses: result,
}
export const describePostedCall = {
  summary: 'Call a function',
  description: `${asPostgrest} One that is volatile needs an editor. ROWHOUSE_RPC names the functions.`,
  parameters: [select, ...page, prefer, idempotencyKeyParameter, written],
  requestBody: body({ type: 'object', description: 'The arguments by their names.' }),
  responses: result,
}
