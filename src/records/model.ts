import { t } from 'elysia'

/**
 * A table's columns define the form of its records. They are only known at the time of the request, so the record is
 * checked against them rather than by this schema.
 */
export const RecordBody = t.Record(t.String(), t.Unknown(), { description: 'Values by the names of columns.' })
export type RecordBody = Record<string, unknown>

export const RecordsBody = t.Union([RecordBody, t.Array(RecordBody)], {
  description: 'One record, or several, of which all or none are created.',
})

/**
 * The records of a request, parsed and as they were sent: PostgreSQL reads the values from `json`, with all their
 * digits.
 */
export type Payload<Records = RecordBody | RecordBody[]> = { records: Records; json: string }

/** A request with more records would exceed its time limit. */
export const mostRecords = 10_000

export const defaultLimit = 100

export const batchOperations = 500

const Operation = t.Object(
  {
    method: t.Union([t.Literal('POST'), t.Literal('PATCH'), t.Literal('PUT'), t.Literal('DELETE')]),
    table: t.String({ minLength: 1, maxLength: 200, description: 'Id or name of the table.' }),
    pk: t.Optional(t.String({ maxLength: 10_000, description: 'The key as in a path, for all methods but POST.' })),
    body: t.Optional(RecordsBody),
    ifMatch: t.Optional(t.String({ maxLength: 1000, description: 'As the header If-Match.' })),
    ifNoneMatch: t.Optional(t.Literal('*', { description: 'As the header If-None-Match: PUT only creates a record, and replaces none.' })),
  },
  { additionalProperties: false },
)
export type Operation = typeof Operation.static

export const Batch = t.Object(
  { operations: t.Array(Operation, { minItems: 1, maxItems: batchOperations }) },
  { additionalProperties: false },
)
export type Batch = typeof Batch.static
