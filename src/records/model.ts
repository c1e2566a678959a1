import { t } from 'elysia'

/** A record is what its table says: known only when the request comes, so the table's columns check it, not this schema. */
export const RecordBody = t.Record(t.String(), t.Unknown(), { description: 'Values by the names of columns.' })
export type RecordBody = Record<string, unknown>

export const RecordsBody = t.Union([RecordBody, t.Array(RecordBody)], {
  description: 'One record, or several, of which all are made or none.',
})

/** More would take longer than a request may. */
export const mostRecords = 10_000

export const defaultLimit = 100
