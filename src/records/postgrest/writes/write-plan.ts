import { isBare } from '../../query/parameters'
import { parseQuery } from '../../query/parse/query'
import { planConditions } from '../../query/plan/conditions'
import { planRead } from '../../query/plan/read'
import type { ReadPlan } from '../../query/plan/types'
import type { RecordQuery } from '../../query/tree'
import { throwRestError } from '../errors/engine-errors'
import type { TableCall } from '../request/call'

/** A call whose query is planned. `returned` is the part of the written rows in the response; undefined for none. */
export type RestWrite = TableCall & { query: RecordQuery; plan: ReadPlan; returned: ReadPlan | undefined }

/** @throws RestFailure */
export function planWrite(call: TableCall): RestWrite {
  try {
    const query = parseQuery(call.search, 'postgrest')
    const read = planRead(call.tables, call.table, query, { dialect: 'postgrest' })
    // In PostgREST, an embedding takes precedence over a column of the same name only in the filters of a read.
    const plan = { ...read, condition: planConditions(call.tables, call.table, query.filters, read.embeddings, 'native') }
    return { ...call, query, plan, returned: call.preferences.return === 'representation' ? plan : undefined }
  } catch (error) {
    throwRestError(error)
  }
}

/** Whether the response needs only stored columns of the row, or nothing, and the write has no further steps. */
export const isUsual = ({ query, preferences, media }: RestWrite) =>
  isBare(query) &&
  !query.order.length &&
  !preferences.tx &&
  media.form !== 'csv' &&
  !media.isStripped &&
  preferences.return !== 'headers-only'
